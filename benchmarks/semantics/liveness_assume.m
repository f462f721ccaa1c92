-- A step that an assumption forbids leads nowhere: it does not count on the way to p.
-- cmurphi: unsafe prop="two" depth=0
-- rumur: unsafe prop="two" depth=0
-- CMurphi gives: rejected
var n: 0..2;
startstate begin n := 0; end;
rule begin n := (n + 1) % 3; end;
rule begin n := n = 1 ? 0 : 1; end;
assume n != 2;
liveness "two" n = 2;
