-- Arrays are indexed by any simple type.
-- cmurphi: safe states=4
-- rumur: safe states=4
type E: enum {P, Q}; S: scalarset(2);
var a: array[boolean] of array[E] of array[S] of boolean; b: boolean; e: E;
startstate begin b := false; e := P; for i: boolean do for j: E do for k: S do a[i][j][k] := i; end; end; end; end;
rule "b" begin b := !b; assert exists k: S do a[b][e][k] = b end "set"; end;
rule "e" begin e := e = P ? Q : P; end;

