-- = and != also go with an integer.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- CMurphi gives: rejected
-- Rumur gives: rejected
var x: real(2, 10); n: 0..1;
startstate begin n := 0; x := 2; end;
rule begin n := 1 - n; assert x = 2 & n != x "as they are"; end;
