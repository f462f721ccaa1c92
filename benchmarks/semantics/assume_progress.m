-- A step that leads to another state, but to one that an assumption forbids, is not
-- taken; yet the state is not deadlocked.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..2;
startstate begin n := 0; end;
rule n < 2 ==> begin n := n + 1; end;
assume n < 2;
