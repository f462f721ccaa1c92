-- An instance that an assumption disables hits no cover, as it is no step. Rumur
-- counts what it ran before.
-- cmurphi: unsafe prop="two"
-- rumur: unsafe prop="two"
-- CMurphi gives: rejected
-- Rumur gives: safe states=2
var n: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
rule begin n := 2; cover "two" n = 2; assume n < 2; end;
