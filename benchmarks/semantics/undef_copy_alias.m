-- x := y copies an undefined alias of a variable under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; x, y: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; alias z: y do x := z; end; assert isundefined(x) "copied"; end;
