-- A quantifier over two variables is one within the other, and stops altogether.
-- CMurphi stops the inner one only, and goes on; Rumur takes one variable.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
var n: 0..1; a: array[0..1] of array[0..1] of boolean;
startstate begin n := 0; a[0][0] := true; end;
rule begin n := 1 - n; assert exists i: 0..1; j: 0..1 do a[i][j] end "found"; end;
