-- An alias of an element of an enum is not copied undefined to a union.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var n: 0..1; x: U; a: array[0..1] of E;
startstate begin n := 0; end;
rule begin n := 1 - n; alias z: a[n] do x := z; end; end;
