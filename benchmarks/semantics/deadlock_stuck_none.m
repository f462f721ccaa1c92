-- With --deadlock stuck, a state in which no instance is enabled is deadlocked.
-- cmurphi: unsafe prop="deadlock" depth=2
-- rumur: unsafe prop="deadlock" depth=2
-- options: deadlock=stuck
var n: 0..2;
startstate begin n := 0; end;
rule "up" n < 2 ==> begin n := n + 1; end;
