-- So is the result of a division by zero; where that is not stored, there is no error.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(2, 10); n: 0..2;
startstate begin x := 0; n := 0; end;
rule n = 0 & 1 / x > 1000 ==> begin n := 1; end;
rule n = 1 ==> begin x := 1 / x; end;
