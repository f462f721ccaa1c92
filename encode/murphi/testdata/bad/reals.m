-- Real numbers where they cannot stand.
const HALF : 1 / 2.0; HUGE : 1.0e999; -- ERROR 30 "the number is too large"
type F : real(6, 99);
var x : 0..3; r : real(3, 4); -- ERROR 27 "the greatest exponent must be in 10..308, not 4"
    t : real(16, 99); -- ERROR 14 "the number of digits must be in 1..15, not 16"
    s : F; v : array [F] of boolean; -- ERROR 23 "an array cannot be indexed by F"
    HALF : boolean; -- ERROR 5 "HALF is already declared"
    d : real(3, 99);
function f(y : 0..3) : F; begin return y / 3.0; end;
procedure p(var y : F); begin y := 0; end;
startstate
  x := 1.5; -- ERROR 3 "a value of type real cannot be assigned to type 0..3"
  x := f(1); -- ERROR 3 "a value of type F cannot be assigned to type 0..3"
  x := HALF; -- ERROR 3 "a value of type real cannot be assigned to type 0..3"
  s := true; -- ERROR 3 "a value of type boolean cannot be assigned to type F"
  s := s % 2; -- ERROR 8 "the left operand of % must be a number, not of type F"
  p(d); -- ERROR 5 "the var parameter y is of type F, not real.3, 99."
  s := pow(s); -- ERROR 8 "pow has 2 parameters, not 1"
  s := sin(true); -- ERROR 12 "the argument of sin must be a number, not of type boolean"
  switch s case 1.0: x := 1; end; -- ERROR 10 "the switch value must not be a real number"
  for i : F do x := 0; end; -- ERROR 11 "i cannot range over F"
  for i := 0.0 to 1 do x := 0; end; -- ERROR 12 "a bound must be a number, not of type real"
end;
pctl [ true UNTIL <= 3 x = 1 ] < 1; -- ERROR 1 "a PCTL formula is decided by orbitmc pctl"
