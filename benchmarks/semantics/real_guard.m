-- A guard may be a real number, the probability of the instance. It can fire if that is not 0.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: rejected
-- Rumur gives: rejected
const P: 0.25;
var n: 0..3;
startstate begin n := 0; end;
rule n = 0 ? P : 0.0 ==> begin n := 1; end;
rule n = 0 ? 1 - P : 0.0 ==> begin n := 2; end;
rule 0.0 ==> begin n := 3; end;
rule n > 0 ? 0.5 + 0.5 : 0.0 ==> begin n := 0; end;
