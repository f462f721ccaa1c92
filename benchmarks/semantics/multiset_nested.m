-- The elements of a multiset may be multisets; CMurphi takes this, but errs where a
-- slot is free. There is no symbolic encoding of it.
-- cmurphi: safe states=6
-- rumur: safe states=6
-- CMurphi gives: unsafe prop="runtime-error" depth=0
-- Rumur gives: rejected
-- options: engine=explicit
type T: 0..1; M: multiset[1] of T; N: multiset[2] of M;
var m: N; k: M; n: T;
startstate begin n := 0; undefine m; undefine k; end;
rule multisetcount(i: m, true) = 0 ==> begin multisetadd(k, m); end;
choose i: m do
  rule multisetcount(j: m[i], true) = 0 ==> begin n := 1 - n; multisetadd(n, m[i]); end;
  choose j: m[i] do rule begin multisetremove(j, m[i]); multisetremove(i, m); end; end;
end;
