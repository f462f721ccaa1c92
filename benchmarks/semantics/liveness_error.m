-- A step that errs leads nowhere: it does not count on the way to p.
-- cmurphi: unsafe prop="two" depth=0
-- cmurphi: unsafe prop="no" depth=1
-- rumur: unsafe prop="two" depth=0
-- rumur: unsafe prop="no" depth=1
-- CMurphi gives: rejected
-- Rumur gives: unsafe prop="no" depth=1
var n: 0..2;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
rule begin n := 2; error "no"; end;
liveness "two" n = 2;
