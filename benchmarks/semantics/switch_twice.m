-- A value in two cases belongs to the first.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n, k: 0..2;
startstate begin n := 0; k := 0; end;
rule begin n := 1 - n; switch n case 0: k := 1; case 0, 1: k := 2; end; assert k = n + 1 "first"; k := 0; end;
