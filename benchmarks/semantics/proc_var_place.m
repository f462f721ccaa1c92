-- An index in the argument is evaluated once, at the call.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T; a: array[T] of T;
procedure set(var x: T; var i: T); begin i := 1 - i; x := 1; end;
startstate begin n := 0; clear a; end;
rule begin set(a[n], n); assert a[1 - n] = 1 & a[n] = 0 "old place"; clear a; end;
