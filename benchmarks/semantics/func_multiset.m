-- A multiset is passed to a function that looks at it.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- Rumur gives: rejected
type T: 0..2; M: multiset[2] of T;
var m: M;
function size(k: M): T; begin return multisetcount(i: k, true); end;
startstate begin undefine m; end;
ruleset v: T do rule v = 1 & size(m) < 2 ==> begin multisetadd(v, m); end; end;
rule size(m) = 2 ==> begin undefine m; end;
