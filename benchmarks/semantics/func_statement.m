-- A function may be called as a statement, as in Rumur.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..1;
var n: T;
function f(): T; begin n := 1 - n; return n; end;
startstate begin n := 0; end;
rule begin f(); end;
