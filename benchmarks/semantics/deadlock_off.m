-- With --deadlock off there is no property of that name.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- options: deadlock=off
var n: 0..2;
startstate begin n := 0; end;
rule "up" n < 2 ==> begin n := n + 1; end;
