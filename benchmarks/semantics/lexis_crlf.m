-- Lines may end with carriage return and line feed, but for CMurphi.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..1; -- a comment
startstate begin n := 0; end;
rule "flip" begin n := 1 - n; end;
