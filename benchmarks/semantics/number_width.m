-- Numbers do not depend on the literals in the model. Rumur calculates this one
-- without a sign, in 8 bits: there 0 - 1 is an error.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: unsafe prop="runtime-error" depth=2
var n: 0..1;
startstate begin n := 1; end;
rule begin n := n - 1 < 0 ? 1 : n - 1; end;
