-- multisetremovepred removes every element for which a condition holds.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type T: 0..3;
var m: multiset[3] of T; n: T;
startstate begin n := 1; undefine m; end;
rule begin
  n := 3 - n;
  multisetadd(n, m); multisetadd(n, m); multisetremovepred(i: m, m[i] = n);
  assert multisetcount(i: m, true) = 0 "all";
end;
