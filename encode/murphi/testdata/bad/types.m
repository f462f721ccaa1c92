-- Types of expressions and statements.
type
  S : scalarset(3); S2 : scalarset(3);
  E : enum { A, B }; F : enum { C };
  R : record n : 0..3; a : array [S] of boolean; end;
  Q : record m : 0..3; a : array [S] of boolean; end;
var
  s : S; s2 : S2; e : E; f : F; r : R; q : Q; n : 0..3; b : boolean;
  a : array [0..3] of array [E] of R; 
startstate
  s := 1; -- ERROR 3 "a value of type integer cannot be assigned to type S"
  s := s2; -- ERROR 3 "a value of type S2 cannot be assigned to type S"
  e := C; -- ERROR 3 "a value of type F cannot be assigned to type E"
  r := q; -- ERROR 3 "a value of type Q cannot be assigned to type R"
  n := b; -- ERROR 3 "a value of type boolean cannot be assigned to type 0..3"
  b := s = s2; -- ERROR 10 "types S and S2 cannot be compared"
  b := r = q; -- ERROR 10 "types R and Q cannot be compared"
  b := s < s; -- ERROR 8 "the left operand of < must be a number, not of type S" -- ERROR 12 "the right operand of < must"
  n := s + 1; -- ERROR 8 "the left operand of [+] must be a number"
  n := 1 + e; -- ERROR 12 "the right operand of [+] must be a number, not of type E"
  b := b & n; -- ERROR 12 "an operand of & must be boolean, not of type 0..3"
  b := n -> b; -- ERROR 8 "the left operand of -> must be boolean"
end;
