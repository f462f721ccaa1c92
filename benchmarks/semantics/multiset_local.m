-- A local multiset begins empty. CMurphi takes it to be full.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="empty" depth=1
-- Rumur gives: rejected
type T: 0..2; M: multiset[2] of T;
var m: M; n: 0..1;
startstate begin n := 0; undefine m; end;
rule var k: M; begin n := 1 - n; assert multisetcount(i: k, true) = 0 "empty"; end;
