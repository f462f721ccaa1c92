-- A union of one member is taken; CMurphi wants two.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
type D: enum {A, B}; U: union {D};
var u: U;
startstate begin u := A; end;
rule u = A ==> begin u := B; end;
rule u = B ==> begin u := A; end;
