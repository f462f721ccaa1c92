-- A quantifier over a union stops at the first value that decides, in the order in
-- which the union is written.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="found" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="found" depth=1
-- CMurphi gives: safe states=2
-- Rumur gives: rejected
type D: enum {A, B}; E: enum {C, F}; U: union {E, D};
var n: 0..1; a: array[U] of boolean;
startstate begin n := 0; a[A] := true; a[F] := false; end;
rule begin n := 1 - n; assert exists v: U do a[v] end "found"; end;
