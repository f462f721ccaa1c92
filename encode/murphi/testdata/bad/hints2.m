-- What the writer may have meant: operators and words of other languages, := in guards.
var x, y : 0..3; b : boolean;
startstate begin
  if x <> 1 then y := 0; end; -- ERROR 9 "expected an expression, found '>': write '!='"
  if x =< 1 then y := 0; end; -- ERROR 9 "expected an expression, found '<': write '<='"
  if b => b then y := 0; end; -- ERROR 8 "expected 'then', found '=>': write '==>' after a guard, '->' for an implication"
  if b and b then y := 0; end; -- ERROR 8 "expected 'then', found 'and': 'and' is written '&'"
  if not b then y := 0; end; -- ERROR 10 "expected 'then', found 'b': 'not' is written '!'"
  if b then y := 0; elseif b then y := 1; end; -- ERROR 21 "'elseif' is written 'elsif'"
  x += 1; -- ERROR 5 "expected ':=', found '[+]': write x := x [+] …"
  b := a == b && !b || x != y;
end;
rule x := 0 ==> y := 1; end; -- ERROR 8 "':=' assigns, '=' compares"
rule b & x := 0 ==> y := 1; end; -- ERROR 12 "':=' assigns, '=' compares"
rule (x := 0) ==> y := 1; end; -- ERROR 9 "':=' assigns, '=' compares"
