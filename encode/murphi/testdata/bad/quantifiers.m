-- Quantifiers, and copies of separately declared types.
type R : record n : 0..3; end; Q : record n : 0..3; end;
var n : 0..3; r : array [0..3] of R; q : Q; b : boolean;
startstate
  b := forall i : R do true end; -- ERROR 19 "i cannot range over R"
  b := forall i : 0..1 do i end; -- ERROR 27 "the body of forall must be boolean"
  b := exists i := b to 2 do true end; -- ERROR 20 "a bound must be a number"
  for i := 0 to 3 by 0 do end; -- ERROR 22 "the step is zero"
  for i := 3 to 1 do n := i; end;
  r[n] := q;
  r[1] := q;
end;
ruleset i := 0 to n do rule end end; -- ERROR 9 "the bounds and the step of a ruleset must have constant values"
