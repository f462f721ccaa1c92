-- A state in which some instance errs is no deadlock, if all others are disabled, too:
-- the error is what is wrong.
-- cmurphi: unsafe prop="no" depth=2
-- rumur: unsafe prop="no" depth=2
var n: 0..1;
startstate begin n := 0; end;
rule "up" n = 0 ==> begin n := 1; end;
rule "err" n = 1 ==> begin error "no"; end;
