-- Multisets are not compared.
-- cmurphi: rejected "multiset"
-- rumur: rejected "multiset"
type T: 0..1; M: multiset[2] of T;
var m, k: M; n: T;
startstate begin n := 0; end;
rule begin n := 1 - n; assert m = k "equal"; end;
