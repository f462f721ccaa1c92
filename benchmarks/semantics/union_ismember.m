-- ismember tells to which member a value belongs.
-- cmurphi: safe states=4 canon=3
-- rumur: safe states=4 canon=3
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U;
startstate begin u := A; end;
ruleset v: U do
  rule begin
    u := v;
    assert ismember(u, E) != ismember(u, S) & ismember(v, E) = (v = A | v = B) "member";
    assert ismember(u, S) = exists i: S do u = i end "scalarset";
  end;
end;
