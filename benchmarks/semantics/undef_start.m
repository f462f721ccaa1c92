-- An error in a start state has depth 0.
-- cmurphi: unsafe prop="runtime-error" depth=0
-- rumur: unsafe prop="runtime-error" depth=0
var n, u: 0..1;
startstate begin n := u + 0; end;
rule begin n := 1 - n; end;
