-- A declared assert is an invariant, as in Rumur.
-- cmurphi: unsafe prop="small" depth=1
-- rumur: unsafe prop="small" depth=1
-- CMurphi gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
assert "small" n = 0;
