-- An undefined condition is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; b: boolean;
startstate begin n := 0; end;
rule begin n := 1 - n; if b then n := 0; end; end;
