-- The values of a union have the order in which it is written. CMurphi's rulesets do
-- the same, but its quantifiers and loops follow the declarations of the members.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="order" depth=1
-- Rumur gives: rejected
type D: enum {A, B}; E: enum {C, F}; U: union {E, D};
var n: 0..1; k: 0..99;
startstate begin n := 0; k := 0; end;
rule begin
  n := 1 - n;
  for v: U do if v = A then k := 10 * k + 1 end; if v = C then k := 10 * k + 2 end; end;
  assert k = 21 "order";
  k := 0;
end;
