-- A slot whose element was removed is free: using it is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; n: T;
startstate begin n := 0; multisetadd(n, m); end;
choose i: m do rule begin multisetremove(i, m); n := m[i]; end; end;
