-- What is no number is a run-time error where it is stored.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(2, 10);
startstate begin x := 0; end;
rule begin x := x / x; end;
