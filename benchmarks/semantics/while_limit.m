-- A loop may run 1000 times; once more is an error, as in CMurphi. Rumur knows no
-- limit.
-- cmurphi: unsafe prop="runtime-error" depth=3
-- rumur: unsafe prop="runtime-error" depth=3
-- Rumur gives: unsafe prop="deadlock" depth=3
var n: 998..1001; k: 0..2000;
startstate begin n := 998; k := 0; end;
rule n < 1001 ==> begin n := n + 1; k := 0; while k < n do k := k + 1 end; k := 0; end;
