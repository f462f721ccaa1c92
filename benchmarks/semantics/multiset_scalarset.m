-- Elements that are values of a scalarset are permuted with it.
-- cmurphi: safe states=10 canon=4
-- rumur: safe states=10 canon=4
-- Rumur gives: rejected
type S: scalarset(3);
var m: multiset[2] of S;
startstate begin undefine m; end;
ruleset s: S do rule multisetcount(i: m, true) < 2 ==> begin multisetadd(s, m); end; end;
rule begin undefine m; end;
