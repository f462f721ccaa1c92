-- A model without rules is taken as in Rumur; its start states are deadlocked.
-- cmurphi: unsafe prop="deadlock" depth=0
-- rumur: unsafe prop="deadlock" depth=0
-- CMurphi gives: rejected
var n: 0..1;
startstate begin n := 0; end;
