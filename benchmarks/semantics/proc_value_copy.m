-- A value parameter is a copy of what is no variable of the very type, under both.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T; m: 0..3;
procedure p(x: T); begin n := 1 - n; m := n; assert x != n "copy"; end;
startstate begin n := 0; m := 0; end;
rule begin p(n + 0); end;
rule begin p(m); end;
