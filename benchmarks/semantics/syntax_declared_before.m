-- A name cannot be used above its declaration.
-- cmurphi: rejected "not declared"
-- rumur: rejected "not declared"
var n: T;
type T: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
