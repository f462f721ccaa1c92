-- What is refused is named once, where it first occurs, and the rest of the file
-- is still read.
externfun f(x : boolean) : boolean "f.h"; -- ERROR 1 "external functions are not supported: their"
type F : real(6, 99); -- ERROR 10 "real numbers are not supported: states must be finite in number"
var b : boolean; x : 0..3; r : real(3, 4);
startstate
  x := 1.5;
  x := .5;
  liveness b; -- ERROR 3 "liveness is not a statement"
  multisetcount(i : b, true); -- ERROR 3 "multisetcount is not a statement"
end;
fairness b; -- ERROR 1 "fairness is not supported: liveness means"
rule b + ==> end; -- ERROR 10 "expected an expression, found '==>'"
choose i : b do
  rule b := ; end; -- ERROR 13 "expected an expression"
endchoose;
alias do rule end; end; -- ERROR 7 "expected a name, found 'do'"
pctl [ b until <= 3 b ] < 4; -- ERROR 1 "probabilistic rules and PCTL formulas are not supported: what may"
