-- Probabilities that are none.
const TINY : 1.0e-30; ROOT : sqrt(2.0);
type F : real(6, 99);
var x : 0..3; s : F; m : multiset [2] of boolean;
function f(y : 0..3) : F; begin return y / 3.0; end;
function h(y : 0..3) : F; begin return z / 3.0; end; -- ERROR 40 "z is not declared"
startstate x := 0; s := 0.5; end;
rule fabs(s) ==> end; -- ERROR 6 "a probability is made of numbers and variables by . - . / and .: alone"
rule TINY ==> end; -- ERROR 6 "the numerator or the denominator of this number does not fit in 64 bits"
rule ROOT ==> end; -- ERROR 6 "the numerator or the denominator of this number does not fit in 64 bits"
rule f(1, 2) ==> end; -- ERROR 6 "f has 1 parameters, not 2"
rule f(x) / true ==> end; -- ERROR 13 "the right operand of / must be a number, not of type boolean"
rule f = 1 ==> end; -- ERROR 6 "f is a procedure or function and needs arguments in parentheses"
var f : 0..1; -- ERROR 5 "f is already declared at 5:10: choose another name"
rule 2 0.5 ==> end; -- ERROR 1 "a probabilistic rule has no priority"
choose i : m do
  rule 0.5 ==> end; -- ERROR 3 "a probabilistic rule cannot stand in a choose"
end;
distribution
  rule f(x) ==> end;
  rule x = 1 ==> end; -- ERROR 3 "a rule in a distribution has a real number as its guard"
  distribution end; -- ERROR 3 "a distribution cannot stand in another one"
end;
