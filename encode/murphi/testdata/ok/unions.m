-- Unions: values move between a union and its parts.
type
  S : scalarset(2); E : enum { A, B }; U : union { S, E, enum { C } }; One : union { S };
var
  u, v : U; s : S; e : E; o : One; ofU : array [U] of boolean; ofS : array [S] of boolean; b : boolean;
ruleset w : U; t : S do
startstate
  u := w; u := t; u := s; u := e; u := A; u := C; u := v; s := u; e := u; o := s;
  b := u = v; b := u = s; b := s != u; b := u = A; b := B = u; b := e = u;
  b := ofU[u]; b := ofU[s]; b := ofU[A]; b := ofU[t]; b := ofS[u]; b := ofS[s];
  b := ismember(u, S) & ismember(u, E) & ismember(s, S);
  switch u case s: case A, C: else end;
  u := b ? s : v; u := b ? v : A;
  for x : U do ofU[x] := isundefined(u); end;
  b := forall x : U do x = u -> ofU[x] end;
  undefine u; clear u; put u; put ofU[A];
end end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- scalarset 0 S : 1..2
-- type S : scalarset(2)
-- type E : enum {A, B}
-- type U : union {S, E, enum {C}}
-- type One : union {S}
-- var 0 u : U
-- var 1 v : U
-- var 2 s : S
-- var 3 e : E
-- var 4 o : One
-- var 5 ofU : array [U] of boolean
-- var 10 ofS : array [S] of boolean
-- var 12 b : boolean
-- leaves 13
-- start 0 "" [w : U; t : S]
--   u := w
--   u := U(t)
--   u := U(s)
--   u := U(e)
--   u := U(A)
--   u := U(C)
--   u := v
--   s := S(u)
--   e := E(u)
--   o := One(s)
--   b := (u = v)
--   b := (u = U(s))
--   b := (U(s) != u)
--   b := (u = U(A))
--   b := (U(B) = u)
--   b := (U(e) = u)
--   b := ofU[u]
--   b := ofU[U(s)]
--   b := ofU[U(A)]
--   b := ofU[U(t)]
--   b := ofS[S(u)]
--   b := ofS[s]
--   b := (ismember(u, S) & ismember(u, E) & ismember(s, S))
--   switch u
--   case U(s)
--   case U(A), U(C)
--   u := (b ? U(s) : v)
--   u := (b ? v : U(A))
--   for x : U
--     ofU[x] := isundefined(u)
--   b := forall x : U do ((x = u) -> ofU[x]) end
--   undefine u
--   clear u
--   put u
--   put ofU[U(A)]
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
