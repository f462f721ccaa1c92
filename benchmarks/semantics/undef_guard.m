-- An error in a guard is one of the state under CMurphi, one of the step from it
-- under Rumur.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=2
var n, u: 0..1;
startstate begin n := 0; end;
rule "go" n = 0 ==> begin n := 1; end;
rule "bad" n = 1 & u = 0 ==> begin n := 0; end;
