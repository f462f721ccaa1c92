-- A multiset without an element makes no instance.
-- cmurphi: unsafe prop="deadlock" depth=0
-- rumur: unsafe prop="deadlock" depth=0
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; n: 0..1;
startstate begin n := 0; end;
choose i: m do rule begin n := 1 - n; end; end;
