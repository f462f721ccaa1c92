-- ?: evaluates the side it takes and no other. CMurphi evaluates & and the like on
-- both sides first.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="runtime-error" depth=1
var n, u: 0..1; b: boolean;
startstate begin n := 0; b := true; end;
rule begin n := 1 - n; b := n < 2 ? (n = 0 | n = 1) : (u = 0 & n = 0); end;
