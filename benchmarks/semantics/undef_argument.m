-- An undefined variable in an expression is an error as an argument too.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
type T: 0..9;
var n, u: T;
procedure p(x: T); begin n := n; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(u + 1); end;
