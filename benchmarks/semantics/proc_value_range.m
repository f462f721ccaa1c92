-- An argument outside the range of the parameter is an error.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
type T: 0..1;
var n: 0..2;
procedure p(x: T); begin n := n; end;
startstate begin n := 0; end;
rule begin n := n + 1; p(n); end;
