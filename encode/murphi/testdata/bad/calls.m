-- More calls, and what is undefined.
type R : record n : 0..3; end;
var n : 0..3; b : boolean; r : R; q : record n : 0..3; k : 0..1; end;
procedure P(x : 0..3; var y : 0..3); begin end;
function F(x : R) : R; begin return x; end;
function G(x : 0..3) : boolean; begin return true; end;
startstate
  n(1); R(2); -- ERROR 3 "n is not a procedure or function" -- ERROR 9 "R is not a procedure or function"
  F(r) := r; -- ERROR 3 "the value of F cannot be assigned"
  F(r).n := 1; -- ERROR 3 "the value of F cannot be assigned"
  n := P; -- ERROR 8 "P is a procedure or function and needs arguments in parentheses"
  P(undefined, undefined); -- ERROR 16 "undefined cannot be passed to the var parameter y"
  b := isundefined(F(r).n); -- ERROR 20 "isundefined needs a variable"
  n := undefined + 1; -- ERROR 8 "undefined is not declared"
  b := F(r).k = 1; -- ERROR 12 "type R has no field k"
  return 1; -- ERROR 3 "a rule returns no value"
  n := F(r); -- ERROR 3 "a value of type R cannot be assigned to type 0..3"
  r := true ? F(r) : n; -- ERROR 3 "a value of type 0..3 cannot be assigned to type R"
end;
rule n := F(q); n := P(1, n); -- ERROR 13 "the parameter x is of type R, not record" -- ERROR 22 "P is a procedure and has no value"
end;
rule G(undefined) ==> end; -- ERROR 8 "undefined cannot be an argument in the guard"
var v : P; -- ERROR 9 "P is not a type"
rule n := P + 1; end; -- ERROR 11 "P is a procedure or function and needs arguments in parentheses"
