-- Reading an undefined number, boolean or member of an enum is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := u + 0; end;
