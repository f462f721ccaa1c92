-- A state variable whose exponent would be below 1 - e, where e is the greatest one, is 0. In CMurphi a local variable keeps the number.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(3, 10); n: 0..1;
startstate begin n := 0; x := 0; end;
rule begin
  n := 1 - n; x := 0.000000001; assert x > 0.0 "least"; x := x / 10; assert x = 0.0 "none"; x := 0;
end;
