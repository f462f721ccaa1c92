-- --loop-max sets another limit.
-- cmurphi: unsafe prop="runtime-error" depth=3
-- rumur: unsafe prop="runtime-error" depth=3
-- Rumur gives: unsafe prop="deadlock" depth=3
-- options: loop-max=4
var n: 2..5; k: 0..9;
startstate begin n := 2; k := 0; end;
rule n < 5 ==> begin n := n + 1; k := 0; while k < n do k := k + 1 end; k := 0; end;
