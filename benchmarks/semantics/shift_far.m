-- A shift by a negative number goes the other way. One by 64 or more gives 0, to
-- the right of a negative number -1: we calculate with 64 bits, always; Rumur with
-- as many as the numbers in the model make it choose, and gives 0.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: unsafe prop="gone" depth=1
var n: -1000000..1000000;
startstate begin n := 0; end;
rule begin
  n := 1 - n;
  assert (4 >> 1) = 2 & (-8 >> 1) = -4 "right";
  assert (4 << -1) = 2 & (1 >> -3) = 8 "back";
  assert (n << 64) = 0 & (n + 7 >> 70) = 0 "far";
  assert (n - 2 >> 64) = -1 "gone";
end;
