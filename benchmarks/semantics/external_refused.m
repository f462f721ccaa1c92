-- External functions are refused.
-- cmurphi: rejected "external functions"
-- rumur: rejected "external functions"
externfun f(x: boolean): boolean "f.h";
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
