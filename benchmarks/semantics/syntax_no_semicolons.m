-- Rumur needs no semicolon after declarations and rules.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..1
var n: T
startstate begin n := 0 end
rule begin n := 1 - n end
