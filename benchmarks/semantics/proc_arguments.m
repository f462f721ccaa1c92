-- A call gives as many arguments as there are parameters.
-- cmurphi: rejected "argument"
-- rumur: rejected "argument"
type T: 0..1;
var n: T;
procedure p(x, y: T); begin n := x; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(n); end;
