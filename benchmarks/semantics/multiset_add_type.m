-- What is put in is a variable of the very type of the elements. We take any value
-- of that type.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: rejected
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T;
startstate begin undefine m; end;
rule multisetcount(i: m, true) < 2 ==> begin multisetadd(1, m); end;
rule begin undefine m; end;
