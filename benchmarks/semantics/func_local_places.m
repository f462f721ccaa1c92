-- What a guard calls may change its own locals, and pass them on.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..3;
var n: T;
procedure double(var x: T); begin x := 2 * x; end;
function two(x: T): T; var h: T; begin h := x; double(h); return h; end;
startstate begin n := 0; end;
rule two(n) = 2 * n ==> begin n := 1 - n; end;
