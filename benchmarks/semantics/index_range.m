-- An index outside the index type is an error, on either side of an assignment.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- cmurphi: unsafe prop="set" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="set" depth=2
var n: 0..3; a: array[0..1] of boolean;
startstate begin n := 0; a[0] := true; a[1] := true; end;
rule begin n := n + 1; assert a[n] "set"; end;
