-- An array and a record are printed as a whole.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1; R: record x: T; a: array[T] of boolean end;
var r: R;
startstate begin r.x := 0; undefine r.a; end;
rule begin put r; put r.a; r.x := 1 - r.x; end;
