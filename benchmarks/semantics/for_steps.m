-- for counts up or down in steps; the bounds are evaluated once; an empty range is
-- no turn at all.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; a: array[-2..9] of -1..9; k: -2..9;
startstate begin n := 0; for i: -2..9 do a[i] := -1 end; k := 9; end;
rule begin
  n := 1 - n;
  k := 6;
  for i := 0 to k by 4 do k := 9; a[i] := i end;
  assert a[0] = 0 & a[4] = 4 & a[8] = -1 "up";
  for i := k to k - 2 by -1 do a[i] := 7 end;
  assert a[7] = 7 & a[8] = 7 & a[9] = 7 & a[6] = -1 "down";
  for i: -2..9 do a[i] := -1 end;
end;
