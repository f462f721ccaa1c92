-- A guard is a boolean; under Rumur a number that is not 0 is true.
-- cmurphi: rejected "boolean"
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
rule 1 + n ==> begin n := 1 - n; end;
