-- What is refused is named where it occurs, and the rest of the file is still read.
externfun f(x : boolean) : boolean "f.h"; -- ERROR 1 "external functions are not supported: their"
var b : boolean; x : 0..3;
startstate
  liveness b; -- ERROR 3 "liveness is not a statement"
  multisetcount(i : b, true); -- ERROR 3 "multisetcount is not a statement"
end;
fairness b; -- ERROR 1 "fairness is not supported: liveness means"
rule b + ==> end; -- ERROR 10 "expected an expression, found '==>'"
choose i : b do
  rule b := ; end; -- ERROR 13 "expected an expression"
endchoose;
alias do rule end; end; -- ERROR 7 "expected a name, found 'do'"
pctl [ b until <= 3 b ] < 4; -- ERROR 27 "a probability is not greater than 1"
