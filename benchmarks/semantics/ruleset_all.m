-- A ruleset makes an instance for each combination of values. Startstates, invariants
-- and further rulesets may stand in it.
-- cmurphi: safe states=12 canon=6
-- rumur: safe states=12 canon=6
type S: scalarset(2); E: enum {A, B};
var s: S; n: 0..2; e: E;
ruleset i: S; k: 0..2 do
  startstate begin s := i; n := k; e := A; end;
  ruleset f: E do
    rule i != s & k != n ==> begin s := i; n := k; e := f; end;
    invariant i = s & k = n -> (e = f | e != f);
  end;
end;
