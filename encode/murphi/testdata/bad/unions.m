-- Unions and multisets.
type S : scalarset(2); T : scalarset(2); E : enum { A }; F : enum { B };
  U : union { S, E }; V : union { S, E };
  W : union { 0..3, boolean, U, S, S }; -- ERROR 15 "a union is made of scalarsets and enums, not of 0..3" -- ERROR 21 "of boolean" -- ERROR 30 "of U" -- ERROR 36 "S occurs twice in the union"
  X : union { }; -- ERROR 7 "a union needs at least one type"
var u : U; v : V; s : S; t : T; e : E; n : 0..3; b : boolean; a : array [U] of boolean;
startstate
  u := v; u := t; t := u; u := B; -- ERROR 3 "a value of type V cannot be assigned to type U" -- ERROR 11 "type T cannot be assigned to type U" -- ERROR 19 "type U cannot be assigned to type T" -- ERROR 27 "type F cannot be assigned to type U"
  b := u = v; b := s = A; -- ERROR 10 "types U and V cannot be compared" -- ERROR 22 "types S and E cannot be compared"
  b := a[B]; -- ERROR 10 "the index must be of type U, not F"
  b := ismember(u, U); -- ERROR 20 "ismember needs a scalarset or an enum, not U"
  b := ismember(u, T); -- ERROR 17 "values of type U are never members of T"
  b := ismember(n, E); -- ERROR 17 "values of type 0..3 are never members of E"
  b := ismember(e, 0..1); -- ERROR 20 "ismember needs a scalarset or an enum, not 0..1"
  switch e case u: end; -- ERROR 17 "the case is of type U and the switch value of type E"
  e := b ? s : A; -- ERROR 10 "the branches of [?]: are of types S and E"
end;
