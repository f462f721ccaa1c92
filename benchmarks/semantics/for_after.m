-- The bounds of a loop are evaluated before its variable exists, and see what it
-- hides. CMurphi's checker reads the variable itself there, before it has a value.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="last" depth=1
var i, n: 0..3;
startstate begin i := 2; n := 0; end;
rule begin for i := i to i + 1 do n := i end; assert n = i + 1 "last"; n := 0; i := 3 - i; n := 0; end;
