-- choose and rulesets stand in each other.
-- cmurphi: safe states=10
-- rumur: safe states=10
-- Rumur gives: rejected
type T: 0..2;
var m: multiset[2] of T;
startstate begin undefine m; end;
ruleset v: T do
  rule multisetcount(i: m, true) < 2 ==> begin multisetadd(v, m); end;
  choose i: m do rule m[i] = v ==> begin multisetremove(i, m); end; end;
end;
