-- liveness p: from every reachable state one can be reached in which p holds.
-- cmurphi: safe states=4
-- rumur: safe states=4
-- CMurphi gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule begin n := (n + 1) % 4; end;
rule n > 0 ==> begin n := n - 1; end;
liveness "home" n = 0;
