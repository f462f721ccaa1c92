-- An undefined condition of a loop is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; b: boolean;
startstate begin n := 0; end;
rule begin n := 1 - n; while b do b := false; end; end;
