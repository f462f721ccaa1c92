-- An alias of another expression is its value, found once.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
rule begin alias x: n + 1 do n := 1 - n; assert x = 2 - n "old value"; end; end;
