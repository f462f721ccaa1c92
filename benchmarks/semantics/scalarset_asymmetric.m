-- Loops over a scalarset whose order matters are no symmetry, and none is used. The
-- tools trust the declaration, and with symmetry do not find this.
-- cmurphi: unsafe prop="first" depth=2
-- rumur: unsafe prop="first" depth=2
type S: scalarset(2);
var s: S; n: 0..3;
startstate begin undefine s; n := 0; end;
rule "last" n = 0 ==> begin for i: S do s := i; end; n := 1; end;
rule "count" n = 1 ==> begin n := 2; for i: S do if i = s then return; end; n := 3; end; end;
rule "again" n > 1 ==> begin undefine s; n := 0; end;
invariant "first" n < 3;
