-- An array is indexed by a union, and by its members.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var a: array[U] of 0..3; u: U; e: E; n: 0..1;
startstate begin n := 0; for v: U do a[v] := 0 end; e := A; u := A; end;
rule begin
  n := 1 - n;
  a[e] := 1; a[B] := 2;
  for i: S do a[i] := 3 end;
  assert a[u] = 1 & forall i: S do a[i] = 3 end & a[B] = 2 "elements";
  for v: U do a[v] := 0 end;
end;
