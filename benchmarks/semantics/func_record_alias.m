-- A record that a function returns may have an alias, and be compared, as in Rumur.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..1; R: record x: T; y: T end;
var r: R;
function flip(q: R): R; var h: R; begin h.x := 1 - q.x; h.y := q.x; return h; end;
startstate begin r.x := 0; r.y := 1; end;
rule begin alias h: flip(r) do r := h; assert h = r & r != flip(r) "same"; end; end;
