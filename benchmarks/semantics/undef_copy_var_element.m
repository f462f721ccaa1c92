-- An element that is passed to a var parameter is copied as a variable is, under
-- CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type T: 0..3;
var n: 0..1; x: T; a: array[0..1] of T;
procedure p(var w: T); begin x := w; assert isundefined(x) "copied"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(a[n]); p(a[0]); end;
