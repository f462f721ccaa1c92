-- Two parameters may be the same variable.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..3;
var n, m: T;
procedure set(var x, y: T); begin x := 3; assert y = 3 "same"; y := 1 - m; end;
startstate begin n := 0; m := 0; end;
rule begin set(n, n); m := n; end;
