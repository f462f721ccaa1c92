-- Local variables are undefined whenever their rule or procedure begins.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T;
procedure p(x: T); var k: T; begin assert isundefined(k) "fresh"; k := x; end;
startstate begin n := 0; end;
rule var k: T; begin assert isundefined(k) "fresh too"; k := n; p(k); p(n); n := 1 - n; end;
