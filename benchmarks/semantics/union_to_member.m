-- A union is assigned to a member: a value that the member does not have is an
-- error. CMurphi stores it all the same.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- CMurphi gives: unsafe prop="stored" depth=2
-- Rumur gives: rejected
type D: enum {A, B}; E: enum {C, F}; U: union {D, E};
var u: U; d: D; n: 0..1;
startstate begin u := B; d := A; n := 0; end;
rule n = 0 ==> begin d := u; assert d = B "fits"; d := A; u := C; n := 1; end;
rule n = 1 ==> begin d := u; assert d = A | d = B "stored"; d := A; u := B; n := 0; end;
