-- The name of an invariant may follow its condition, as in Rumur.
-- cmurphi: unsafe prop="small" depth=1
-- rumur: unsafe prop="small" depth=1
-- CMurphi gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
invariant n = 0 "small";
