-- What fails has no successor: the body goes no further.
-- cmurphi: unsafe prop="no" depth=1
-- rumur: unsafe prop="no" depth=1
var n: 0..1;
startstate begin n := 0; end;
rule "flip" begin n := 1 - n; end;
rule "fail" begin assert n > 1 "no"; n := 7; error "after"; end;
