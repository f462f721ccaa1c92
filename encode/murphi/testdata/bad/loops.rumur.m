-- Only under the dialect of Rumur.
var n : 0..3; b : boolean;
startstate
  for i := 0 to 3 by 0 do end; -- ERROR 22 "the step is zero"
  for i := 3 to 0 do end; -- ERROR 7 "the loop from 3 to 0 steps the wrong way"
  for i := 0 to n do i := 1; end; -- ERROR 22 "i is a bound variable and cannot be assigned"
  for i := n to 0 do i := 1; end; -- ERROR 22 "i is a bound variable and cannot be assigned"
end;
type E : enum { A }; rule A ==> end; -- ERROR 27 "the guard must be boolean, not of type E"
