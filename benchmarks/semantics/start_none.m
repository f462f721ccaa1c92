-- A model has a start state.
-- cmurphi: rejected "start state"
-- rumur: rejected "start state"
-- Rumur gives: safe states=0
var n: 0..1;
rule begin n := 1 - n; end;
