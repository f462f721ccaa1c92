-- An element is named by the variable of a choose, a count or a removepred, not by a
-- number.
-- cmurphi: rejected "index"
-- rumur: rejected "index"
type T: 0..1; M: multiset[2] of T;
var m: M; n: T;
startstate begin n := 0; multisetadd(n, m); end;
rule begin m[0] := 1 - n; end;
