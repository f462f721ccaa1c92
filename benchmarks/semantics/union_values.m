-- A variable of a union holds any value of its members.
-- cmurphi: safe states=5 canon=3
-- rumur: safe states=5 canon=3
-- Rumur gives: rejected
type S: scalarset(3); E: enum {Home, Away}; U: union {E, S};
var u: U;
startstate begin u := Home; end;
ruleset v: U do
  rule u != v ==> begin u := v; assert u = v & !isundefined(u) "same"; end;
end;
