-- A statement list may begin with a semicolon.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule begin ; n := 1 - n; end;
