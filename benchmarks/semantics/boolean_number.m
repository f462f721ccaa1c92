-- Numbers are no booleans.
-- cmurphi: rejected "boolean"
-- rumur: rejected "boolean"
var b: boolean;
startstate begin b := 0; end;
rule begin b := !b; end;
