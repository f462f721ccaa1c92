-- Division truncates towards 0, and % has the sign of the dividend.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: -9..9;
startstate begin n := -7; end;
rule begin
  n := -n;
  assert n * n / 2 = 24 & -7 / 2 = -3 & 7 / -2 = -3 "quotient";
  assert (-7) % 2 = -1 & 7 % (-2) = 1 "rest";
end;
