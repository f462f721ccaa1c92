-- Procedures, functions and calls.
type R : record n : 0..3; end; Q : record n : 0..3; k : 0..1; end; S : scalarset(2);
var n : 0..3; w : 0..5; b : boolean; r : R; q : Q; s : S;
procedure P(x : 0..3; var y : 0..3);
begin
  x := 1; -- ERROR 3 "x is a value parameter and cannot be assigned"
  undefine x; clear x; -- ERROR 12 "x is a value parameter and cannot be undefined" -- ERROR 21 "x is a value parameter and cannot be cleared"
  P(x, x); -- ERROR 8 "x is a value parameter and cannot be passed to a var parameter"
  alias z : x do z := 1; end; -- ERROR 18 "x is a value parameter and cannot be assigned"
  alias z : x + 1 do z := 1; end; -- ERROR 22 "z is an alias for a value and cannot be assigned"
  return 1; -- ERROR 3 "P is a procedure and returns no value"
end;
function F(x : R) : 0..3; begin
  x.n := 1; -- ERROR 3 "x is a value parameter and cannot be assigned"
  return; -- ERROR 3 "F must return a value"
  return b; -- ERROR 10 "F returns type 0..3, not boolean"
end;
procedure n(); begin end; -- ERROR 11 "n is already declared at 3:5"
procedure D(a : boolean; a : 0..1); var a : 0..2; begin end; -- ERROR 26 "a is already declared at 19:13" -- ERROR 41 "a is already declared at 19:13"
startstate
  P(n); -- ERROR 3 "P has 2 parameters, not 1"
  P(1, 2); -- ERROR 8 "the var parameter y needs a variable"
  P(b, n); -- ERROR 5 "the parameter x is of type 0..3, not boolean"
  P(1, w); -- ERROR 8 "the var parameter y is of type 0..3, not 0..5"
  for i : 0..3 do P(1, i); end; -- ERROR 24 "i is a bound variable and cannot be passed to a var parameter"
end;
rule Late(); end; -- ERROR 6 "Late is not declared"
