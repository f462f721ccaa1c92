-- Constant operands are computed; a division by zero is left to run time.
const N : 7; K : true ? N : 1 / 1; Z : 0;
var x : 0..99; b : boolean;
startstate
  x := N * N - N / 2 + N % 4;
  x := x + N * 2;
  x := N + 1 + x;
  x := -N / 2 * -1;
  x := N / Z;
  x := b ? 1 + 1 : x;
  b := N > 3 & N != 8 -> K = 7;
  b := !(N >= 7) | b;
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- const N : integer = 7
-- const K : integer = 7
-- const Z : integer = 0
-- var 0 x : 0..99
-- var 1 b : boolean
-- leaves 2
-- start 0 ""
--   x := 49
--   x := (x + 14)
--   x := (8 + x)
--   x := 3
--   x := (7 / 0)
--   x := (b ? 2 : x)
--   b := true
--   b := (false | b)
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
