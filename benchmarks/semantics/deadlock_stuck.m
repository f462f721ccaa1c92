-- With --deadlock stuck, an instance that leads nowhere else counts against deadlock.
-- CMurphi has no such option.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: unsafe prop="deadlock" depth=2
-- options: deadlock=stuck
var n: 0..2;
startstate begin n := 0; end;
rule "up" n < 2 ==> begin n := n + 1; end;
rule "stay" n = 2 ==> begin n := n + 0; end;
