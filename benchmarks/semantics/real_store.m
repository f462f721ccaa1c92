-- Real expressions are computed in floating point; what is stored is rounded to the digits of its type.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(3, 99); y: real(8, 99); n: 0..1;
startstate begin n := 0; x := 1.23456; y := 10; end;
rule begin
  n := 1 - n; y := x * 100000;
  assert y = 123000.0 "three digits";
  y := x / 3;
  assert y > 0.4099999 & y < 0.4100001 "eight digits";
  x := 1.23; y := 10;
end;
