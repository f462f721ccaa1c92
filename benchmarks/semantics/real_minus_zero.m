-- Zero with a sign is 0. CMurphi takes it for its undefined value.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- CMurphi gives: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
var x: real(2, 20); n: 0..1;
startstate begin n := 0; x := 0; end;
rule begin n := 1 - n; x := -x; assert x = 0.0 "zero"; end;
