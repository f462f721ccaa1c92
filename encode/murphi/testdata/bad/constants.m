-- Constants and sizes.
const
  A : x; -- ERROR 7 "x is not declared"
  B : 1 / 0; -- ERROR 9 "division by zero"
  C : 1 % (2 - 2); -- ERROR 9 "division by zero"
  D : 9223372036854775807 + 1; -- ERROR 27 "does not fit in 64 bits"
  E : 4611686018427387904 * 2; -- ERROR 27 "does not fit in 64 bits"
  F : -9223372036854775807 - 1; -- ERROR 28 "does not fit in 64 bits"
  G : D + 1;
  H : true + 1; -- ERROR 7 "must be a number, not of type boolean"
var y : 0..1;
const I : y; -- ERROR 11 "a constant must have a constant value"
type
  T : 3..1; -- ERROR 7 "the range 3..1 is empty"
  U : 0..9223372036854775807; -- ERROR 7 "is too large"
  V : true..2; -- ERROR 7 "a range bound must be a number, not of type boolean"
  W : 0..y; -- ERROR 10 "a range bound must have a constant value"
  X : scalarset(0); -- ERROR 7 "the size of a scalarset must be in"
  Y : enum { }; -- ERROR 7 "an enum needs at least one member"
  Z : record end; -- ERROR 7 "a record needs at least one field"
