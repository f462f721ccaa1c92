-- An undefined value belongs to no member of a union under CMurphi, and is an error
-- under Rumur.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="none" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U; s: S; n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; assert !ismember(u, S) & !ismember(u, E) & !ismember(s, S) "none"; end;
