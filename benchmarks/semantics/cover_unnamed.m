-- A cover needs no name; Rumur's checkers do not compile then.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
cover n = 1;
