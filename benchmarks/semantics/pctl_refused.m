-- PCTL formulas are for the command pctl, and refused elsewhere.
-- cmurphi: rejected "PCTL"
-- rumur: rejected "PCTL"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
pctl [ n = 0 until <= 3 n = 1 ] < 0.4;
