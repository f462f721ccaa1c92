-- A multiset is empty before anything is put into it.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type T: 0..2;
var m: multiset[2] of T; n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; assert multisetcount(i: m, true) = 0 "empty"; end;
