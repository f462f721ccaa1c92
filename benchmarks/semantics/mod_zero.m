-- The rest of a division by zero is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- CMurphi gives: crash
var n: 0..3;
startstate begin n := 0; end;
rule begin n := 1 % n; end;
