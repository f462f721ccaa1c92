-- A cover that holds in no reachable state is violated, without a trace.
-- cmurphi: unsafe prop="three"
-- rumur: unsafe prop="three"
-- CMurphi gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule begin n := (n + 1) % 3; end;
cover "two" n = 2;
cover "three" n = 3;
