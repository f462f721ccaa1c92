-- An undefined field or element of an enum is not copied to a union.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U; a: array[0..1] of E; n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; u := a[0]; end;
