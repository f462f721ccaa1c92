-- A step to a state that violates an assumption is not taken; CMurphi has none.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: rejected
var n: 0..9;
startstate begin n := 0; end;
rule begin n := (n + 1) % 9; end;
rule n > 0 ==> begin n := n - 1; end;
assume n < 3;
