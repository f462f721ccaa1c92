-- A scalarset has an element.
-- cmurphi: rejected "scalarset"
-- rumur: rejected "scalarset"
type S: scalarset(0);
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
