-- A cover is hit if it holds in some reachable state.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: rejected
var n: 0..2;
startstate begin n := 0; end;
rule begin n := (n + 1) % 3; end;
cover "two" n = 2;
