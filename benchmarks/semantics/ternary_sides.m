-- The two sides of ?: are of one type, in ours and in CMurphi.
-- cmurphi: rejected "boolean"
-- rumur: rejected "boolean"
-- Rumur gives: safe states=2
var n: 0..1; b: boolean;
startstate begin n := 0; b := true; end;
rule begin n := 1 - n; b := b ? b : 2; end;
