-- A deadlocked state in which p does not hold violates liveness p.
-- cmurphi: unsafe prop="zero" depth=1
-- rumur: unsafe prop="zero" depth=1
-- CMurphi gives: rejected
-- options: deadlock=off
var n: 0..1;
startstate begin n := 0; end;
rule n = 0 ==> begin n := 1; end;
liveness "zero" n = 0;
