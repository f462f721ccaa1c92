-- clear gives 0.0.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: array [0..1] of real(2, 20); n: 0..1;
startstate begin n := 0; clear x; end;
rule begin n := 1 - n; x[n] := 0 - 1.5; clear x; assert x[0] = 0.0 & x[1] = 0.0 "zero"; end;
