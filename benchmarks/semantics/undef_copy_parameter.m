-- A parameter that is undefined is copied as a variable is, under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type T: 0..3;
var n: 0..1; x, y: T;
procedure p(z: T; var w: T); begin x := z; assert isundefined(x) "value"; x := 0; x := w; assert isundefined(x) "var"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(y, y); end;
