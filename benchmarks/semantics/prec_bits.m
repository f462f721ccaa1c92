-- | ^ & bind in this order, tighter than || and &&; shifts bind tighter than
-- comparisons, ~ tightest.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: -1..1;
startstate begin n := 0; end;
rule begin
  n := 1 - n;
  assert (1 | 6 ^ 3 & 2) = 5 "bits";
  assert 1 << 1 + 1 = 4 "shift";
  assert ~n + 5 = 5 - n - 1 "complement";
  assert false & true | true && true || false "logic";
end;
