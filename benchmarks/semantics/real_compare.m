-- Real numbers are compared with each other and with integers, of whatever digits.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(2, 10); y: real(5, 10); n: 0..1;
startstate begin n := 0; x := 2; y := 2.5; end;
rule begin
  n := 1 - n;
  assert x = 2.0 & x != y & x < y & y > n & n <= x & (n = 1 ? x : y) >= x "as they are";
end;
