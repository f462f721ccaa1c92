-- Two states that differ in the slots alone are one state, also to deadlock.
-- cmurphi: unsafe prop="deadlock" depth=1
-- rumur: unsafe prop="deadlock" depth=1
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; n: T;
startstate begin n := 0; multisetadd(n, m); end;
rule multisetcount(i: m, true) = 1 ==> begin n := 1; multisetadd(n, m); end;
rule multisetcount(i: m, true) = 2 ==> begin
  multisetremovepred(i: m, m[i] = 0); n := 0; multisetadd(n, m); n := 1;
end;
