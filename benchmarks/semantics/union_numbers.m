-- Ranges are no members of a union.
-- cmurphi: rejected "union"
-- rumur: rejected "union"
type R: 0..2; E: enum {A, B}; U: union {R, E};
var u: U;
startstate begin u := A; end;
rule begin u := B; end;
