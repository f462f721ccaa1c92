-- & and | are bit operators where the left operand is a number, else logical.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..1; b: boolean;
startstate begin n := 0; b := true; end;
rule begin n := (n | 2) & 3 ^ 3; assert (5 & 4) = 4 & (b | false) "both"; end;
