-- So is a local variable. In CMurphi that keeps the number.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- CMurphi gives: unsafe prop="none" depth=1
-- Rumur gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule var x: real(3, 10); begin n := 1 - n; x := 0.000000001; x := x / 10; assert x = 0.0 "none"; end;
