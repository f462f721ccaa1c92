-- An error in the guard of a rule counts even if its priority keeps it from firing.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=2
-- Rumur gives: rejected
var n, u: 0..1;
startstate begin n := 0; end;
rule "first" begin n := 1 - n; end;
rule 5 "last" n = 1 & u = 0 ==> begin n := 0; end;
