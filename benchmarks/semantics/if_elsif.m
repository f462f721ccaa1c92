-- if takes the first condition that holds, and evaluates no further one.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n, u: 0..1; k: 0..3;
startstate begin n := 0; k := 0; end;
rule begin
  n := 1 - n;
  if n = 2 then k := 1 elsif n < 2 then k := 2 elsif u = 0 then k := 3 else k := 3 end;
  assert k = 2 "second";
  k := 0;
end;
