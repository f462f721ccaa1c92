-- An error of a function in a guard is one of the guard.
-- cmurphi: unsafe prop="small" depth=1
-- rumur: unsafe prop="small" depth=2
type T: 0..1;
var n: T;
function small(x: T): boolean; begin assert x = 0 "small"; return true; end;
startstate begin n := 0; end;
rule small(n) ==> begin n := 1 - n; end;
