-- An undefined variable of the very type is passed on as such.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n, u: T;
procedure p(x: T); begin assert isundefined(x) "undefined"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(u); end;
