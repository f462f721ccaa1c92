-- A loop without an end in a guard is an error of the guard.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=2
-- Rumur gives: timeout
type T: 0..9;
var n: T;
function stop(x: T): boolean; var k: T; begin k := 0; while x = 1 do k := 1 - k; end; return true; end;
startstate begin n := 0; end;
rule stop(n) ==> begin n := 1 - n; end;
