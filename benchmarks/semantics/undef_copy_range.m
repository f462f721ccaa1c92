-- x := y copies an undefined variable of another range under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; m: 3..7; k: 0..1;
startstate begin n := 0; k := 0; end;
rule begin k := 1 - k; n := m; assert isundefined(n) "copied"; n := 0; end;
