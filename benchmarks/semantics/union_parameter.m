-- A union is passed as a parameter, and a member as a union.
-- cmurphi: safe states=3 canon=2
-- rumur: safe states=3 canon=2
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U;
procedure set(v: U); begin u := v; end;
function is(v: U; i: S): boolean; begin return v = i; end;
startstate begin u := A; end;
ruleset i: S do
  rule begin set(i); assert is(u, i) & is(i, i) "is"; end;
  rule is(u, i) ==> begin set(A); end;
end;
