-- Putting an element into a full multiset is an error.
-- cmurphi: unsafe prop="runtime-error" depth=3
-- rumur: unsafe prop="runtime-error" depth=3
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; n: T;
startstate begin n := 0; end;
rule begin n := 1 - n; multisetadd(n, m); end;
