-- A string may stand in typographic quotes. Rumur reads on to the last of them.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
var n: 0..1;
startstate “zero” begin n := 0; end;
rule “flip” begin n := 1 - n; assert n < 2 “small”; end;
