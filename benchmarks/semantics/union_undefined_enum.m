-- The enum in a comparison with a union is read under both.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U; e: E; n: 0..1;
startstate begin n := 0; u := A; end;
rule begin n := 1 - n; if u = e then u := B end; end;
