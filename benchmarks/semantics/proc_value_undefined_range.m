-- An undefined variable of another range is read under CMurphi, and passed on by
-- Rumur.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: safe states=2
type T: 0..1;
var n: T; u: 0..5;
procedure p(x: T); begin assert isundefined(x) "undefined"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(u); end;
