-- An undefined part of a variable is not copied.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(2, 10); y: array [0..1] of real(2, 10);
startstate begin x := 0; end;
rule begin x := y[0]; end;
