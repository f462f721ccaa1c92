-- An instance that errs hits the covers that it ran before.
-- cmurphi: unsafe prop="no" depth=1
-- rumur: unsafe prop="no" depth=1
-- CMurphi gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
rule begin n := 2; cover "two" n = 2; error "no"; end;
