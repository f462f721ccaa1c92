-- A property is a boolean.
-- cmurphi: rejected "boolean"
-- rumur: rejected "boolean"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
invariant n;
