-- A union with a scalarset is cleared to its first value as well. CMurphi refuses.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U; n: 0..1;
startstate begin n := 0; u := A; end;
rule begin n := 1 - n; clear u; end;
