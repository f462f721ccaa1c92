-- By default a state is deadlocked if no instance leads to a different state.
-- cmurphi: unsafe prop="deadlock" depth=2
-- rumur: unsafe prop="deadlock" depth=2
var n: 0..2;
startstate begin n := 0; end;
rule "up" n < 2 ==> begin n := n + 1; end;
rule "stay" n = 2 ==> begin n := n + 0; end;
