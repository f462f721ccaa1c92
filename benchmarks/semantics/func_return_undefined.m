-- A member of an enum or a value of a scalarset may be returned undefined under
-- CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type E: enum {A, B}; T: 0..1;
var n: T; e: E;
function f(): E; var h: E; begin return h; end;
startstate begin n := 0; end;
rule begin n := 1 - n; e := f(); assert isundefined(e) "undefined"; end;
