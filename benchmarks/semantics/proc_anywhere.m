-- Procedures may call themselves and functions, and be called from start states.
-- cmurphi: safe states=4
-- rumur: safe states=4
type T: 0..9;
var n: T;
function half(x: T): T; begin return x / 2; end;
procedure down(x: T); begin n := x; if x > 3 then down(half(x)) end; end;
startstate begin down(9); assert n = 2 "two"; end;
rule begin n := (n + 1) % 4; end;
