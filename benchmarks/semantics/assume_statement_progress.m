-- An instance that an assume statement disables does not count against deadlock.
-- cmurphi: unsafe prop="deadlock" depth=2
-- rumur: unsafe prop="deadlock" depth=2
-- CMurphi gives: rejected
var n: 0..9;
startstate begin n := 0; end;
rule "up" begin n := n + 1; assume n < 3; end;
