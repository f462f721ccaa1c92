-- What put prints is evaluated when the rule runs: its errors are errors.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; a: array[0..1] of boolean;
startstate begin n := 0; end;
rule begin n := 1 - n; put a[n + 1]; put a[n + 2]; end;
