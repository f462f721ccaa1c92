-- A constant has all its digits. CMurphi writes seven of them into its program.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- CMurphi gives: unsafe prop="digits" depth=1
-- Rumur gives: rejected
const C: 0.123456789;
var x: real(9, 20); n: 0..1;
startstate begin n := 0; x := 0; end;
rule begin n := 1 - n; x := C; assert x > 0.12345678 & x < 0.12345679 "digits"; x := 0; end;
