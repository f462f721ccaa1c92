-- The call in an alias is made once.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T;
function flip(): T; begin n := 1 - n; return n; end;
startstate begin n := 0; end;
rule begin alias x: flip() + 0 do assert x = n & x + n = 2 * x "once"; end; end;
