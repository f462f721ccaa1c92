-- The variable of one multiset names an element of another of its type: an error if
-- there is none. Which element it is depends on their order, so there is no symbolic
-- encoding of it.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
-- options: engine=explicit
type T: 0..1; M: multiset[2] of T;
var m, k: M; n: T;
startstate begin n := 0; multisetadd(n, m); undefine k; end;
choose i: m do rule begin n := k[i]; end; end;
