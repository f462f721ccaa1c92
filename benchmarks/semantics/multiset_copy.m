-- A multiset is copied as a whole, and cleared or undefined to be empty.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type T: 0..1; M: multiset[2] of T;
var m, k: M; n: T;
startstate begin n := 0; clear m; undefine k; end;
rule begin
  multisetadd(n, m); multisetadd(n, m); k := m;
  assert multisetcount(i: k, k[i] = n) = 2 "copied";
  clear m; undefine k;
  assert multisetcount(i: k, true) + multisetcount(i: m, true) = 0 "empty";
  n := 1 - n;
end;
