-- An error in an assumption is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- CMurphi gives: rejected
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
assume n = 1 -> u = 0;
