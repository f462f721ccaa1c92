-- An error in an invariant is one of the state.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="invariant@10" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="invariant@10" depth=1
-- CMurphi gives: unsafe prop="runtime-error" depth=0; its trace breaks off before the last step
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
invariant n = 1 -> u = 0;
