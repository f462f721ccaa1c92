-- A channel in an array of records, changed through var parameters.
-- cmurphi: safe states=16 canon=10
-- rumur: safe states=16 canon=10
-- Rumur gives: rejected
type S: scalarset(2); T: 0..1; M: multiset[1] of T; C: record net: M; sent: boolean end;
var c: array[S] of C;
procedure send(var k: C; v: T); begin multisetadd(v, k.net); k.sent := true; end;
startstate begin for i: S do undefine c[i].net; c[i].sent := false; end; end;
ruleset i: S; v: T do
  rule !c[i].sent & multisetcount(j: c[i].net, true) = 0 ==> begin send(c[i], v); end;
end;
ruleset i: S do
  choose j: c[i].net do rule begin multisetremove(j, c[i].net); end; end;
  rule c[i].sent & multisetcount(j: c[i].net, true) = 0 ==> begin c[i].sent := false; end;
end;
