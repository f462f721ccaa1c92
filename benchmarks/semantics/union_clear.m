-- A union of enums is cleared to its first value. CMurphi stores what is no value.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="first" depth=1
-- Rumur gives: rejected
type D: enum {A, B}; E: enum {C, F}; U: union {E, D};
var u: U; n: 0..1;
startstate begin n := 0; u := C; end;
rule begin n := 1 - n; u := F; clear u; assert u = C "first"; end;
