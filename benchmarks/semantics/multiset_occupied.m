-- What a removepred or a count asks is evaluated for occupied slots only.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[3] of T; n: T;
startstate begin n := 0; multisetadd(n, m); end;
rule begin
  n := 1 - n;
  assert multisetcount(i: m, m[i] = 0 | m[i] = 1) = 1 "one";
  multisetremovepred(i: m, m[i] + 1 = 2 - n);
  multisetadd(n, m);
end;
