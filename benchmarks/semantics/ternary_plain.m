-- Plain sides of ?: are evaluated only if taken by both tools.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := n < 2 ? n : u; n := 1 - n; end;
