-- A value that no member has is refused.
-- cmurphi: rejected "U"
-- rumur: rejected "U"
type D: enum {A, B}; E: enum {C, F}; S: scalarset(2); U: union {D, S};
var u: U;
startstate begin u := A; end;
rule begin u := C; end;
