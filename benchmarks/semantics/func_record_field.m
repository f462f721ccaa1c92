-- A field of the record that a function returns is read without more ado; the tools
-- want a variable between.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
type T: 0..1; R: record x: T; y: T end;
var r: R;
function flip(q: R): R; var h: R; begin h.x := 1 - q.x; h.y := q.x; return h; end;
startstate begin r.x := 0; r.y := 1; end;
rule begin r.x := flip(r).x; r.y := 1 - r.x; end;
