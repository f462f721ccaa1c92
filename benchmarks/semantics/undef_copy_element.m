-- A field or an element of a number or a boolean is read in x := y, also by CMurphi.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var k, n: 0..1; a: array[0..1] of 0..1;
startstate begin k := 0; n := 0; end;
rule begin k := 1 - k; n := a[0]; end;
