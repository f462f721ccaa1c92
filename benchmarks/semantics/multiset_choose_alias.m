-- An alias in a choose is of an element that is there. CMurphi errs in free slots,
-- if no guard asks for the element.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="runtime-error" depth=0
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; n: T;
startstate begin n := 0; multisetadd(n, m); end;
choose i: m do alias e: m[i] do rule begin e := 1 - e; end; end; end;
