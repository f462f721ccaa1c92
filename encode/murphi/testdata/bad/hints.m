-- What the writer may have meant: declarations, assignments, what is missing.
const Size = 3; -- ERROR 12 "expected ':', found '='"
const Size := 3; -- ERROR 12 "expected ':', found ':=': ':' declares, ':=' assigns"
type E : enum {A B, C D}; -- ERROR 18 "expected ',' or '}', found 'B'" -- ERROR 23 "expected ',' or '}', found 'D'"
var x : 0..3 := 0; y : 0..3; b : boolean; -- ERROR 14 "a declaration gives no value: assign it in a start state or body"
startstate begin
  x = 0; -- ERROR 5 "expected ':=', found '=': '=' compares, ':=' assigns"
  x == 0; -- ERROR 5 "expected ':=', found '==': '=' compares, ':=' assigns"
  if x := 0 then y := 1; end; -- ERROR 8 "':=' assigns, '=' compares"
  if b & x := 0 | y := 1 then y := 1; end; -- ERROR 12 "':=' assigns, '=' compares" -- ERROR 21 "':=' assigns, '=' compares"
  while !x := 0 do y := 1; end; -- ERROR 12 "':=' assigns, '=' compares"
  y := 1 -- ERROR 9 "expected ';', found 'x' in line 13"
  x := 2;
  y := (x -- ERROR 10 "expected '[)]', found ';' in line 15"
  ; if x = 1 -- ERROR 13 "expected 'then', found 'y' in line 16"
  y := 2; end;
end;
