-- An alias of an element is read like the element.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; x: 0..3; a: array[0..1] of 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; alias z: a[n] do x := z; end; end;
