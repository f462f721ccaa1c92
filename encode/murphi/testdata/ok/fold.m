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
  b := N < 7 | N <= 6 | N != 7 | N = 8; b := true = false; b := false -> N / Z = 0;
  x := 5 - 7 - N; x := -7 % 4; x := 0 * N - 3 * -4; x := b ? 1 : N / Z;
  b := isundefined(x) & N > Z;
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
--   b := false
--   b := false
--   b := (false -> ((7 / 0) = 0))
--   x := -9
--   x := -3
--   x := 12
--   x := (b ? 1 : (7 / 0))
--   b := (isundefined(x) & true)
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
