-- An undefined union is passed on as a member of an enum.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U; n: 0..1;
procedure p(v: E); begin assert isundefined(v) "undefined"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(u); end;
