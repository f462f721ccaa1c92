-- A function with real variables returns what a variable of its type would hold.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
type R: real(4, 20);
var x: R; n: 0..1;
function third(y: R): R; begin return y / 3; end;
startstate begin n := 0; x := 1; end;
rule begin n := 1 - n; assert third(x) = 0.3333 & 3 * third(2) > 2.0 "rounded"; end;
