-- An undefined member of an enum is an error as an argument for a union under CMurphi,
-- and passed on by Rumur.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: safe states=2
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var e: E; n: 0..1;
procedure p(v: U); begin assert isundefined(v) "undefined"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(e); end;
