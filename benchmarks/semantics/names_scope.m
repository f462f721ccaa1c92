-- Two things of one scope cannot have the same name: neither two globals nor a
-- parameter and a local of a procedure.
-- cmurphi: rejected "already declared"
-- rumur: rejected "already declared"
type T: 0..1;
var n: T;
procedure p(x: T); var x: T; begin n := 0; end;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
