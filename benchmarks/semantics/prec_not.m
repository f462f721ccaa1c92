-- ! reaches over comparisons but not over &: !a = b is !(a = b), !a & b is (!a) & b.
-- cmurphi: safe states=4
-- rumur: safe states=4
var n: 0..1; a: boolean;
startstate begin a := false; n := 0; end;
rule "n" begin n := 1 - n; end;
rule "a" begin a := !a; end;
invariant "not, =" (!n = 1) = (n = 0);
invariant "not, and" (!a & n = 1) = (n = 1 & !a);
