-- No type is a member twice, and none is a union itself.
-- cmurphi: rejected "union"
-- rumur: rejected "union"
type D: enum {A, B}; E: enum {C, F}; U: union {D, E}; V: union {U, D};
var u: V;
startstate begin u := A; end;
rule begin u := B; end;
