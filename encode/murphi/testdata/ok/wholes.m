-- Whole records and arrays: compared part by part, copied part by part if
-- their types were declared separately.
type
  Id : 0..2;
  R : record a : boolean; n : Id; end;
  S : record a : boolean; n : 0..2; end;
var
  r, q : R; s : S; t : array [Id] of R; u : array [0..2] of S;
startstate
  r := q; s := r; u := t; t[1] := u[2];
end;
rule r != s & t = u ==> end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- type Id : 0..2
-- type R : record { 0 a : boolean; 1 n : Id }
-- type S : record { 0 a : boolean; 1 n : 0..2 }
-- var 0 r : R
-- var 2 q : R
-- var 4 s : S
-- var 6 t : array [Id] of R
-- var 12 u : array [0..2] of S
-- leaves 18
-- start 0 ""
--   r := q
--   if isundefined(r.a)
--     undefine s.a
--   else
--     s.a := r.a
--   if isundefined(r.n)
--     undefine s.n
--   else
--     s.n := r.n
--   for index : 0..2
--     if isundefined(t[index].a)
--       undefine u[index].a
--     else
--       u[index].a := t[index].a
--     if isundefined(t[index].n)
--       undefine u[index].n
--     else
--       u[index].n := t[index].n
--   if isundefined(u[2].a)
--     undefine t[1].a
--   else
--     t[1].a := u[2].a
--   if isundefined(u[2].n)
--     undefine t[1].n
--   else
--     t[1].n := u[2].n
-- rule 0 ""
--   guard (!((isundefined(r.a) ? isundefined(s.a) : (!isundefined(s.a) & (r.a = s.a))) & (isundefined(r.n) ? isundefined(s.n) : (!isundefined(s.n) & (r.n = s.n)))) & forall index : Id do ((isundefined(t[index].a) ? isundefined(u[index].a) : (!isundefined(u[index].a) & (t[index].a = u[index].a))) & (isundefined(t[index].n) ? isundefined(u[index].n) : (!isundefined(u[index].n) & (t[index].n = u[index].n)))) end)
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
