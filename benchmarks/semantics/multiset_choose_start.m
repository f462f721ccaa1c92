-- There is no choosing around a start state. CMurphi chooses any slot.
-- cmurphi: rejected "start state"
-- rumur: rejected "start state"
-- CMurphi gives: safe states=2
type T: 0..1;
var m: multiset[2] of T; n: T;
choose i: m do startstate begin n := 0; end; end;
rule begin n := 1 - n; end;
