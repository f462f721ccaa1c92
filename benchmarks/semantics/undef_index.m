-- An undefined index is an error, of a scalarset as well.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
type S: scalarset(2);
var s: S; a: array[S] of 0..1; n: 0..1;
startstate begin n := 0; for i: S do a[i] := 0; end; end;
rule begin n := 1 - n; a[s] := n; end;
