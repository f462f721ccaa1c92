-- An alias of a field or element is passed on as a variable.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1; A: array[T] of T;
var a: A;
procedure flip(var x: T); begin x := 1 - x; end;
startstate begin a[0] := 0; a[1] := 1; end;
rule begin alias x: a[0]; y: x do flip(y); end; alias z: a do for i: T do if i = 1 then flip(z[i]); end; end; end; assert a[0] != a[1] "flipped"; end;
