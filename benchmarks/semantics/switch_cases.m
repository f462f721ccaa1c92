-- switch takes the first case with an equal value, else the else branch, else none.
-- There is no falling through.
-- cmurphi: safe states=4
-- rumur: safe states=4
const C: 2;
var n, k: 0..3;
startstate begin n := 0; k := 3; end;
rule begin
  n := (n + 1) % 4;
  k := 3;
  switch n + 1 case 1, C + 1: k := 0; case 2: k := 1; else k := 2; end;
  assert (k = 0) = (n = 0 | n = 2) & (k = 1) = (n = 1) "branch";
  switch n = 1 case true: k := 1 endswitch;
  assert n != 1 -> k != 1 "none";
  k := 3;
end;
