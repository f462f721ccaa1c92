-- What multisetcount asks may err.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="count" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="count" depth=1
-- Rumur gives: rejected
type R: record x: 0..1; y: 0..1 end;
var m: multiset[2] of R; r: R; n: 0..1;
startstate begin n := 0; undefine r; r.x := 0; multisetadd(r, m); end;
rule begin n := 1 - n; assert multisetcount(i: m, m[i].y = 0) = 0 "count"; end;
