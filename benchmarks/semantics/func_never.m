-- A function without any return is taken, and an error if it is called; CMurphi
-- refuses it.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- CMurphi gives: rejected
type T: 0..1;
var n: T;
function f(x: T): T; begin n := x; end;
startstate begin n := 0; end;
rule begin n := f(n); end;
