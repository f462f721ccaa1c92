-- A multiset has room for one element at least.
-- cmurphi: rejected "size"
-- rumur: rejected "size"
-- CMurphi gives: safe states=2
type T: 0..1;
var m: multiset[0] of T; n: T;
startstate begin n := 0; undefine m; end;
rule begin n := 1 - n; end;
