-- Real numbers are refused but for probabilities.
-- cmurphi: rejected "real"
-- rumur: rejected "real"
type X: real(4, 2);
var x: X; n: 0..1;
startstate begin n := 0; x := 1.5; end;
rule begin n := 1 - n; end;
