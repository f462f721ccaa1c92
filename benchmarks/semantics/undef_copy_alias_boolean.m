-- An alias of an element that is a boolean is read as well.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; x: boolean; a: array[0..1] of boolean;
startstate begin n := 0; end;
rule begin n := 1 - n; alias z: a[n] do x := z; end; end;
