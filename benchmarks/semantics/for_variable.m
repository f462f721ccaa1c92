-- The variable of a loop, quantifier or ruleset cannot be assigned, but under
-- Rumur, where the loop goes on as if it were not.
-- cmurphi: rejected "assigned"
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; for i: 0..1 do i := 1 end; end;
