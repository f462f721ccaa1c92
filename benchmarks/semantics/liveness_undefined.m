-- An error in a liveness condition is one of the state.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="zero" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="zero" depth=1
-- CMurphi gives: rejected
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
liveness "zero" n = 0 | u = 0;
