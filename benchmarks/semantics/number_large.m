-- Numbers beyond 32 bits are no matter.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="big" depth=2
const Big: 1000000000;
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; assert (n + 5) * Big > Big "big"; end;
