-- The order of the elements of a multiset does not matter.
-- cmurphi: safe states=10
-- rumur: safe states=10
-- Rumur gives: rejected
type T: 0..2;
var m: multiset[2] of T;
startstate begin undefine m; end;
ruleset v: T do rule multisetcount(i: m, true) < 2 ==> begin multisetadd(v, m); end; end;
rule begin undefine m; end;
