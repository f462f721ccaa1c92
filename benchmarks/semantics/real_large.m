-- A larger exponent than the greatest one is a run-time error.
-- cmurphi: unsafe prop="runtime-error" depth=4
-- rumur: unsafe prop="runtime-error" depth=4
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(2, 10);
startstate begin x := 10000000.0; end;
rule begin x := x * 10; end;
