-- Locals, parameters and bound variables hide the names outside.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T;
function f(n: T): T; begin return 1 - n; end;
startstate begin n := 0; end;
rule "local" var n: 5..6; begin n := 5; assert n = 5 "local"; end;
rule "bound" begin n := f(n); for n: 2..3 do assert n >= 2 "bound"; end; end;
invariant forall n: 7..8 do n > 6 end;
