-- Without a start state that satisfies the assumptions there is nothing to check.
-- cmurphi: safe states=0
-- rumur: safe states=0
-- CMurphi gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
assume n > 1;
invariant n = 0;
