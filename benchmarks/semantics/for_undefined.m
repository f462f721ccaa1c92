-- An undefined bound is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; for i := 0 to u do n := i end; end;
