-- Recursion with var parameters reaches the variable that was given first.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..9;
var n, k: T;
procedure count(var x: T; d: T); begin if d > 0 then x := x + 1; count(x, d - 1); end; end;
startstate begin n := 0; k := 0; end;
rule begin k := 0; count(k, 4); assert k = 4 "four"; k := 0; n := 1 - n; end;
