-- A ruleset goes over booleans, enums, ranges, scalarsets and unions.
-- cmurphi: safe states=32 canon=24
-- rumur: safe states=32 canon=24
-- Rumur gives: rejected
type E: enum {A, B}; S: scalarset(2); U: union {E, S};
var b: boolean; e: E; n: 0..1; u: U;
startstate begin b := false; e := A; n := 0; u := A; end;
ruleset c: boolean; f: E; m: 0..1; v: U do
  rule begin b := c; e := f; n := m; u := v; end;
end;
