-- for takes several variables: the first is the outermost loop. Rumur takes one.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
var n: 0..1; k: 0..99;
startstate begin n := 0; k := 0; end;
rule begin n := 1 - n; for i: 1..2; j: 3..4 do k := i * 10 + j end; assert k = 24 "last"; k := 0; end;
