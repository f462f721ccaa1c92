-- A ruleset parameter may be given another name; it is no variable.
-- cmurphi: rejected "assigned"
-- rumur: rejected "assigned"
-- Rumur gives: safe states=2
var n: 0..1;
startstate begin n := 0; end;
ruleset i: 0..1 do alias x: i do rule begin n := x; x := 0; end; end; end;
