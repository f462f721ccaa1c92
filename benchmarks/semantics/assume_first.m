-- Assumptions come before invariants.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..2;
startstate begin n := 0; end;
rule begin n := 1 - n % 2; end;
rule begin n := 2; end;
invariant n < 2;
assume n < 2;
