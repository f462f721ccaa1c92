-- CMurphi passes a variable of the very type of a value parameter by reference, and
-- so shows what becomes of it. Rumur passes a copy.
-- cmurphi: unsafe prop="copy" depth=1
-- rumur: safe states=2
type T: 0..1;
var n: T;
procedure p(x: T); begin n := 1 - n; assert x != n "copy"; end;
startstate begin n := 0; end;
rule begin p(n); end;
