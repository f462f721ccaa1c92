-- Fairness is refused, as it is by both.
-- cmurphi: rejected "fairness"
-- rumur: rejected "fairness"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
fairness "often" n = 1;
