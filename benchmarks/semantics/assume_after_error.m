-- What fails before the assumption fails.
-- cmurphi: unsafe prop="early" depth=1
-- rumur: unsafe prop="early" depth=1
-- CMurphi gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; assume n > 1; error "late"; end;
rule begin n := 1 - n; assert n = 0 "early"; assume n = 0; end;
rule begin n := 1 - n; end;
