-- An undefined value of a scalarset is passed on as a union under both.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var s: S; n: 0..1;
procedure p(v: U); begin assert isundefined(v) "undefined"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(s); end;
