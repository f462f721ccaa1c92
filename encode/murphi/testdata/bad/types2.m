-- Types of expressions and statements, continued.
type
  S : scalarset(3);
  E : enum { A, B };
  R : record n : 0..3; a : array [S] of boolean; end;
var
  s : S; e : E; r : R; n : 0..3; b : boolean; a : array [0..3] of array [E] of R; 
startstate
  b := !n; -- ERROR 9 "the operand of ! must be boolean"
  n := -b; -- ERROR 9 "the operand of a sign must be a number"
  n := n ? 1 : 2; -- ERROR 8 "the condition of [?]: must be boolean"
  n := b ? 1 : A; -- ERROR 10 "the branches of [?]: are of types integer and E"
  b := (b ? r : r) = r; -- ERROR 13 "a branch of [?]: must be of simple type, not R"
  b := r.a[1]; -- ERROR 12 "the index must be of type S, not integer"
  b := a[0][A].a[e]; -- ERROR 18 "the index must be of type S, not E"
  b := a[0].n; -- ERROR 12 "type array .* of R has no fields"
  b := r.z; -- ERROR 9 "type R has no field z"
  b := n[0]; -- ERROR 9 "type 0..3 cannot be indexed"
  if n then end; -- ERROR 6 "the condition must be boolean"
  switch r case 1: end; -- ERROR 10 "the switch value must be of simple type"
  switch e case A, 1: end; -- ERROR 20 "the case is of type integer and the switch value of type E"
  assert n; -- ERROR 10 "the asserted condition must be boolean"
  b := isundefined(r); -- ERROR 20 "must be of simple type"
  b := isundefined(A); -- ERROR 20 "isundefined needs a variable"
end;
rule n ==> end; -- ERROR 6 "the guard must be boolean"
invariant n; -- ERROR 11 "the invariant must be boolean"
