-- A function that changes no state may be called in guards, invariants and quantifiers.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1; A: array[T] of T;
var a: A;
function sum(x: A): T; var h: T; begin h := 0; for i: T do h := h + x[i] end; return h; end;
startstate begin a[0] := 0; a[1] := 1; end;
rule sum(a) = 1 ==> begin for i: T do a[i] := 1 - a[i] end; end;
invariant exists i: T do a[i] = sum(a) end & sum(a) < 2;
