-- Records and arrays are assigned as a whole.
-- cmurphi: safe states=4
-- rumur: safe states=4
type T: 0..1; R: record x: T; a: array[T] of T end;
var r, q: R;
startstate begin r.x := 0; r.a[0] := 0; r.a[1] := 1; q := r; end;
rule "change" begin r.x := 1 - r.x; end;
rule "copy" begin q := r; assert q.a[1] = 1 & q.x = r.x "copied"; end;
