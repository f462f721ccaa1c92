-- Records with fields of other names are other types.
-- cmurphi: rejected "record"
-- rumur: rejected "record"
type T: 0..1; Q: record x: T; y: T end; R: record x: T; z: T end;
var q: Q; r: R;
startstate begin q.x := 0; q.y := 1; r := q; end;
rule begin q.x := 1 - q.x; end;
