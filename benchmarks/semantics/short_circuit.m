-- &, | and -> do not evaluate their right side if the left decides.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n, u: 0..1;
startstate begin n := 0; end;
rule begin
  n := 1 - n;
  assert n = 0 | n = 1 | u = 0 "or";
  assert !(n = 2 & u = 0) "and";
  assert n = 2 -> u = 0 "implies";
  assert !(n = 2 & exists i: 0..1 do u = i end) "quantifier";
end;
