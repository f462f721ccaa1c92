-- An alias of an element of an enum is copied undefined under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type E: enum {A, B};
var n: 0..1; x: E; a: array[0..1] of E;
startstate begin n := 0; end;
rule begin n := 1 - n; alias z: a[n] do x := z; end; assert isundefined(x) "copied"; end;
