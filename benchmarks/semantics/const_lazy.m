-- An operand that decides makes an expression constant, as in Rumur.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
function f(): 0..1; begin return 1; end;
var n: 0..(false ? f() : 1);
startstate begin n := 0; end;
rule begin n := 1 - n; end;
