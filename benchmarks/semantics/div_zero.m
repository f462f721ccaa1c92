-- Division by zero is an error; CMurphi's checker dies of it.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- CMurphi gives: crash
var n: 0..3;
startstate begin n := 2; end;
rule begin n := (n + 4 / n) % 4; end;
