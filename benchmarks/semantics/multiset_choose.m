-- choose makes an instance of its rules for each element.
-- cmurphi: safe states=9
-- rumur: safe states=9
-- Rumur gives: rejected
type T: 0..2;
var m: multiset[2] of T; last: 0..2;
startstate begin last := 0; end;
ruleset v: T do rule multisetcount(i: m, true) = 0 & v = last ==> begin multisetadd(v, m); end; end;
choose i: m do
  rule "inc" m[i] < 2 ==> begin m[i] := m[i] + 1; end;
  rule "take" begin last := m[i]; multisetremove(i, m); end;
end;
