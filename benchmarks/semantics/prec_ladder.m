-- From loose to tight: ?:, ->, |, &, !, comparisons, + -, * / %. The last two group
-- to the left.
-- cmurphi: safe states=8
-- rumur: safe states=8
var a, b: boolean; n: 0..1;
startstate begin a := false; b := false; n := 0; end;
rule "n" begin n := 1 - n; end;
rule "a" begin a := !a; end;
rule "b" begin b := !b; end;
invariant "or, and" (true | a & b) & ((a | b & a) = a);
invariant "implies, or" (a | b -> b) = (!a | b);
invariant "implies, =" (a -> b = a) = (a -> (b = a));
invariant "ternary, implies" (a -> b ? a : b) = (!a & a | b & a);
invariant "times" 2 + n * 3 = 2 + (n * 3) & 7 - 2 - n < 6 & 8 / 2 / 2 + n >= 2;
