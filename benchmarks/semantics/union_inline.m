-- A member may be written out.
-- cmurphi: safe states=4
-- rumur: safe states=4
-- Rumur gives: rejected
type D: enum {A, B}; U: union {D, enum {C, F}};
var u: U;
startstate begin u := A; end;
ruleset v: U do rule begin u := v; end; end;
