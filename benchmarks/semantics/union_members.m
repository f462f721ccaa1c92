-- Values of a member are assigned to a union and compared with it.
-- cmurphi: safe states=3 canon=2
-- rumur: safe states=3 canon=2
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {S, E};
var u: U; s: S;
startstate begin u := A; undefine s; end;
ruleset i: S do
  rule begin s := i; u := s; assert u = s & u = i & u != A & s = u "equal"; undefine s; end;
  rule u = i ==> begin u := A; end;
end;
