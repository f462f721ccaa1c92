-- for, forall and rulesets go over the members of an enum, or over the two
-- booleans, in the order in which they are written.
-- cmurphi: safe states=6
-- rumur: safe states=6
type E: enum {P, Q, R};
var e: E; b: boolean; n: 0..9;
startstate begin e := P; b := false; n := 0; end;
ruleset f: E; c: boolean do
  rule begin
    e := f; b := c;
    n := 0;
    for g: E do n := 2 * n; if g = R then n := n + 1 end; end;
    assert n = 1 "last";
    n := 0;
  end;
end;
