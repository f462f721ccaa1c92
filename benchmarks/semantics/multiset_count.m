-- multisetcount counts the elements for which a condition holds.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type T: 0..3;
var m: multiset[3] of T; n: T;
startstate begin n := 1; undefine m; end;
rule begin
  multisetadd(n, m); n := 3; multisetadd(n, m); multisetadd(n, m);
  assert multisetcount(i: m, m[i] = 3) = 2 & multisetcount(i: m, m[i] < 3) = 1 "count";
  n := multisetcount(i: m, true) - multisetcount(i: m, exists v: T do v = m[i] & v < 3 end);
  assert n = 2 "two";
  n := 1;
  undefine m;
end;
rule begin n := 2; end;
