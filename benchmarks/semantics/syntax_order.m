-- Declarations, procedures and rules may come in any order, as in Rumur; a name is
-- declared before it is used.
-- cmurphi: safe states=4
-- rumur: safe states=4
-- CMurphi gives: rejected
rule "none" false ==> begin end;
var a: 0..1;
rule "a" begin a := 1 - a; end;
const one: 1;
var b: 0..1;
startstate begin a := 0; b := 0; end;
procedure flip(var x: 0..1); begin x := one - x; end;
rule "b" begin flip(b); end;
