-- Records and arrays of one shape are one type to Rumur, and to us; CMurphi wants
-- the very same type.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..1; Q: record x: T; y: T end; R: record x: T; y: T end;
var q: Q; r: R;
startstate begin q.x := 0; q.y := 1; r := q; end;
rule begin q.x := 1 - q.x; r := q; end;
