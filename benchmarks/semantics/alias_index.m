-- An index out of range is an error where the alias begins, used or not.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; a: array[0..1] of 0..1;
startstate begin n := 0; a[0] := 0; end;
rule begin n := 1 - n; alias x: a[n + 1] do n := n; end; end;
