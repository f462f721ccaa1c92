-- Sizes, fields and missing start states.
type
  A : array [0..16777216] of boolean; -- ERROR 7 "the array has more than 16777216 simple parts"
  B : array [0..16777215] of boolean;
  C : record b : B; c : boolean; end; -- ERROR 21 "the record has more than 16777216 simple parts"
  D : array [B] of boolean; -- ERROR 14 "an array cannot be indexed by B"
  E : record a, a : boolean; end; -- ERROR 17 "the record has two fields a"
  F : array [-9000000000000000000..0] of B; -- ERROR 7 "the array has more than"
var b : B; c : boolean; -- ERROR 12 "the variables have more than 16777216 simple parts"
