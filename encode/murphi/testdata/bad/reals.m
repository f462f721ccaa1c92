-- Real numbers are probabilities: elsewhere they are refused.
const HALF : 1 / 2.0;
type F : real(6, 99);
var x : 0..3; r : real(3, 4); -- ERROR 19 "real numbers are probabilities only"
    s : F; -- ERROR 9 "real numbers are probabilities only"
    m : multiset [2] of boolean;
    HALF : boolean; -- ERROR 5 "HALF is declared as a real number"
function f(y : 0..3) : F; begin return y / 3.0; end;
function g(y : F) : boolean; begin return true; end; -- ERROR 16 "real numbers are probabilities only"
startstate
  x := 1.5; -- ERROR 8 "real numbers are probabilities only"
  x := f(1); -- ERROR 8 "real numbers are probabilities only"
  x := HALF; -- ERROR 8 "real numbers are probabilities only"
end;
rule HALF > 0 ==> end; -- ERROR 6 "real numbers are probabilities only"
rule 2 0.5 ==> end; -- ERROR 1 "a probabilistic rule has no priority"
choose i : m do
  rule HALF ==> end; -- ERROR 3 "a probabilistic rule cannot stand in a choose"
end;
distribution
  rule f(x) ==> end;
  rule x = 1 ==> end; -- ERROR 3 "a rule in a distribution has a real number as its guard"
  distribution end; -- ERROR 3 "a distribution cannot stand in another one"
end;
pctl [ true UNTIL <= 3 x = 1 ] < 1; -- ERROR 1 "a PCTL formula is decided by orbitmc pctl"
function h(y : 0..3) : F; begin return z / 3.0; end; -- ERROR 40 "z is not declared"
rule h(1, 2) ==> end; -- ERROR 6 "h has 1 parameters, not 2"
rule h(x) / true ==> end; -- ERROR 13 "operand of . must be a number, not of type boolean"
