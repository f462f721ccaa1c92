-- An alias of an expression that is no variable cannot be assigned.
-- cmurphi: rejected "assigned"
-- rumur: rejected "assigned"
var n: 0..1;
startstate begin n := 0; end;
rule begin alias x: n + 0 do x := 1; end; n := 1 - n; end;
