-- A local variable is copied undefined too, under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; x: 0..3;
startstate begin n := 0; end;
rule var k: 0..3; begin n := 1 - n; x := k; assert isundefined(x) "copied"; end;
