-- An assume statement that fails makes its instance disabled.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: rejected
var n: 0..9;
startstate begin n := 0; end;
rule "up" begin n := n + 1; assume n < 3; end;
rule "down" begin n := 0; end;
