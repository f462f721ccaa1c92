-- Putting an undefined number into a multiset is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; u: T;
startstate begin undefine m; end;
rule begin multisetadd(u, m); end;
