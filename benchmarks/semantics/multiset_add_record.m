-- A record is put in with its undefined parts.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- Rumur gives: rejected
type R: record x: 0..1; y: 0..1 end;
var m: multiset[2] of R; r: R;
startstate begin undefine m; undefine r; r.x := 1; end;
rule multisetcount(i: m, m[i].x = 1 & isundefined(m[i].y)) < 2 ==> begin multisetadd(r, m); end;
rule begin undefine m; end;
