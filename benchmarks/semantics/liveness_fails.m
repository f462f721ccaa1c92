-- liveness p is violated by a state from which none with p can be reached; the trace
-- leads to such a state.
-- cmurphi: unsafe prop="home" depth=2
-- rumur: unsafe prop="home" depth=2
-- CMurphi gives: rejected
var n: 0..4;
startstate begin n := 0; end;
rule n = 0 ==> begin n := 1; end;
rule n = 1 ==> begin n := 0; end;
rule n = 1 ==> begin n := 2; end;
rule n >= 2 ==> begin n := 5 - n; end;
liveness "home" n < 2;
