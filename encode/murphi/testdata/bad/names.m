-- Names and scopes.
const N : 2; N : 3; -- ERROR 14 "N is already declared at 2:7"
type
  T : enum { a, b, a }; -- ERROR 20 "a is already declared at 4:14"
  boolean : 0..1; -- ERROR 3 "boolean cannot be redeclared"
  U : V; -- ERROR 7 "V is not declared before 7:3: move its declaration up"
  V : N; -- ERROR 7 "N is not a type"
var x : T; y : U; x : boolean; -- ERROR 19 "x is already declared at 8:5"
startstate
  x := late; -- ERROR 8 "late is not declared before 23:5: move its declaration up"
  y := nothing; -- ERROR 8 "nothing is not declared"
  y := a; y.a[1] := 2;
  T := a; -- ERROR 3 "T is a type"
  N := 1; -- ERROR 3 "N is a constant and cannot be assigned"
  undefine a; -- ERROR 12 "a is a constant and cannot be undefined"
  x := N.f; -- ERROR 8 "N is a constant and has no parts"
  for i : T do i := a; end; -- ERROR 16 "i is a bound variable and cannot be assigned"
  x := i; -- ERROR 8 "i is not declared"
end;
ruleset p : T; p : T do -- ERROR 16 "p is already declared at 20:9"
  rule p = a ==> var x : T; x : T; begin undefine p; end; -- ERROR 29 "already declared" -- ERROR 51 "p is a bound variable"
end;
var late : T;
