-- A var parameter is the variable that is given.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..3;
var n, m: T;
procedure swap(var x, y: T); var h: T; begin h := x; x := y; y := h; end;
startstate begin n := 1; m := 2; end;
rule begin swap(n, m); assert n + m = 3 & n != m "swapped"; end;
