-- Ranges may be negative, as the index of an array too.
-- cmurphi: safe states=3
-- rumur: safe states=3
type T: -2..0;
var n: T; a: array[T] of T;
startstate begin n := -2; for i: T do a[i] := i; end; end;
rule begin n := n < 0 ? n + 1 : -2; assert a[n] = n "same"; end;
