-- Members of an enum are bounds of a range under Rumur, where they stand for their
-- numbers.
-- cmurphi: rejected "number"
-- rumur: safe states=2
type E: enum {A, B, C}; T: A..C;
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
