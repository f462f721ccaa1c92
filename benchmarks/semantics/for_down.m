-- From a greater number to a less one, without a step, is no turn under CMurphi. Rumur
-- counts down.
-- cmurphi: unsafe prop="down" depth=1
-- rumur: safe states=2
var n: 0..1; k: 0..9; sum: 0..99;
startstate begin n := 0; k := 3; sum := 0; end;
rule begin
  n := 1 - n;
  for i := k to k - 2 do sum := sum + i end;
  assert sum = 6 "down";
  sum := 0;
end;
