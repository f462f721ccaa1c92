-- procedure and function are one word to Rumur, and to us: what has a result type is
-- a function.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..1;
var n: T;
procedure flip(x: T): T; begin return 1 - x; end;
function set(x: T); begin n := x; end;
startstate begin n := 0; end;
rule begin set(flip(n)); end;
