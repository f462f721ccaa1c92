-- Two unions are two types, whatever their members.
-- cmurphi: rejected "U"
-- rumur: rejected "U"
type D: enum {A, B}; E: enum {C, F}; U: union {D, E}; V: union {D, E};
var u: U; v: V;
startstate begin u := A; v := A; end;
rule begin u := v; end;
