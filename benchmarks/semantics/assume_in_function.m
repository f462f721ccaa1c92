-- A condition that calls what assumes, or covers, is refused like one that changes
-- something. Rumur takes it: the instance is disabled.
-- cmurphi: rejected "assume"
-- rumur: rejected "assume"
-- Rumur gives: safe states=2
type T: 0..2;
var n: T;
function odd(x: T): boolean; begin assume x < 2; return true; end;
startstate begin n := 0; end;
rule odd(n + 1) ==> begin n := n + 1; end;
rule begin n := 0; end;
