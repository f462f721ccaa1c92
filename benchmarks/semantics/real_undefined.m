-- Reading an undefined real number is an error. CMurphi's dialect copies an undefined variable.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=1
-- options: engine=explicit
-- Rumur gives: rejected
var x, y: real(2, 10); z: real(3, 10); n: 0..3;
startstate begin x := 0; n := 0; end;
rule n = 0 ==> begin x := y; n := 1; end;
rule n = 1 ==> begin assert isundefined(x) "copied"; z := x; n := 2; assert isundefined(z) "rounded"; x := y + 0; end;
