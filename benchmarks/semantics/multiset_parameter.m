-- A var parameter may be a multiset; a value parameter cannot be changed. CMurphi
-- lets it, and changes the variable.
-- cmurphi: rejected "changed"
-- rumur: rejected "changed"
-- CMurphi gives: safe states=3
type T: 0..1; M: multiset[2] of T;
var m: M; n: T;
procedure send(var k: M; v: T); begin multisetadd(v, k); end;
procedure put_in(k: M; v: T); begin multisetadd(v, k); end;
startstate begin n := 0; undefine m; end;
rule multisetcount(i: m, true) < 2 ==> begin send(m, n); end;
rule multisetcount(i: m, true) < 2 ==> begin put_in(m, n); end;
rule begin undefine m; end;
