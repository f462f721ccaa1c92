-- A function may return a record, which is assigned or passed on.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1; R: record x: T; y: T end;
var r: R;
function flip(q: R): R; var h: R; begin h.x := 1 - q.x; h.y := q.x; return h; end;
startstate begin r.x := 0; r.y := 1; end;
rule begin r := flip(r); assert r.x != r.y "flipped"; end;
