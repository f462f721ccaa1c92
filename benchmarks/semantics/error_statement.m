-- error is a property that fails when it is reached.
-- cmurphi: unsafe prop="reached" depth=2
-- rumur: unsafe prop="reached" depth=2
var n: 0..2;
startstate begin n := 0; end;
rule begin n := n + 1; if n = 2 then error "reached"; end; end;
