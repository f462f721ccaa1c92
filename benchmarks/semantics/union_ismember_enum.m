-- An undefined member of an enum is an error in ismember.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var e: E; u: U; n: 0..1;
startstate begin n := 0; u := A; end;
rule begin n := 1 - n; if ismember(e, E) then u := B end; end;
