-- switch on an undefined member of an enum is an error.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
type E: enum {A, B};
var n: 0..1; e: E;
startstate begin n := 0; end;
rule begin n := 1 - n; switch e case A: n := 0; else n := 1; end; end;
