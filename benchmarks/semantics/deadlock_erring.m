-- An instance that errs is no step: where all others are disabled there is a
-- deadlock, and a step later the error. The tools report the error alone.
-- cmurphi: unsafe prop="no" depth=2
-- cmurphi: unsafe prop="deadlock" depth=1
-- rumur: unsafe prop="no" depth=2
-- rumur: unsafe prop="deadlock" depth=1
var n: 0..1;
startstate begin n := 0; end;
rule "up" n = 0 ==> begin n := 1; end;
rule "err" n = 1 ==> begin error "no"; end;
