-- An array over a member is indexed by a union: a value that the member does not
-- have is an error.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- cmurphi: unsafe prop="second" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="second" depth=2
-- Rumur gives: rejected
type D: enum {A, B}; E: enum {C, F}; U: union {D, E};
var a: array[D] of 0..1; u: U;
startstate begin a[A] := 0; a[B] := 1; u := B; end;
rule begin assert a[u] = 1 "second"; u := F; end;
