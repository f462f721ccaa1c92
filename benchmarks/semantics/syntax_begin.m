-- begin may be left out where there are no local declarations.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
startstate n := 0; end;
rule true ==> n := 1 - n; end;
