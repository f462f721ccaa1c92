-- put of an undefined variable is no error; put of an expression reads it.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
var n, u: 0..1;
startstate begin n := 0; end;
rule n = 0 ==> begin put u; put "\n"; n := 1; end;
rule n = 1 ==> begin put u + 1; n := 0; end;
