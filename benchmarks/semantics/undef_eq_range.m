-- Undefined numbers cannot be compared under either.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := u = n ? 0 : 1; end;
