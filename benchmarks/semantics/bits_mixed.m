-- The operands are both numbers or both booleans.
-- cmurphi: rejected "boolean"
-- rumur: rejected "boolean"
var n: 0..1; b: boolean;
startstate begin n := 0; b := true; end;
rule begin n := 1 - n; b := n & b; end;
