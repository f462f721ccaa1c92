-- A case may be any expression, as in Rumur; they are evaluated in order, up to the
-- one that is equal.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n, u: 0..1; k: 0..2;
startstate begin n := 0; k := 0; end;
rule begin n := 1 - n; switch n case 1 - n: k := 1; case n: k := 2; case u: k := 0; end; assert k = 2 "second"; k := 0; end;
