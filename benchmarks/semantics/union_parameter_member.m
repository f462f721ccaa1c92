-- A union is passed as a member: a value that the member does not have is an error.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- CMurphi gives: unsafe prop="deadlock" depth=2
-- Rumur gives: rejected
type D: enum {A, B}; E: enum {C, F}; U: union {D, E};
var u: U; n: 0..2;
procedure p(d: D); begin n := n + 1; end;
startstate begin u := A; n := 0; end;
rule n < 2 ==> begin p(u); u := F; end;
