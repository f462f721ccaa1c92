-- A field is one of the record's.
-- cmurphi: rejected "field"
-- rumur: rejected "field"
type R: record x: 0..1 end;
var r: R;
startstate begin r.x := 0; end;
rule begin r.y := 1; end;
