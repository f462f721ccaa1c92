-- Numbers may be hexadecimal.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; assert 0x1f = 31 & 0X1F = 31 "hex"; end;
