-- A constant cannot be defined by a variable.
-- cmurphi: rejected "constant"
-- rumur: rejected "constant"
var n: 0..1;
const C: n;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
