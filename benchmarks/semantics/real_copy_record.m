-- Copying a record copies undefined real numbers.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
type R: record a, b: real(2, 10) end;
var x, y: R; n: 0..1;
startstate begin n := 0; x.a := 1.5; end;
rule begin n := 1 - n; y := x; assert y.a = 1.5 & isundefined(y.b) "copied"; undefine y; end;
