-- A hundred calls may be open one within the other.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..200; B: 0..1;
var b: B;
function f(x: T): T; begin if x = 0 then return 0 end; return f(x - 1); end;
startstate begin b := 0; end;
rule begin b := 1 - b + f(99); end;
