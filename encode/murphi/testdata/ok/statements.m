-- All statements.
type
  Id : scalarset(3);
  E : enum { A, B, C };
  R : record e : E; n : 0..5; end;
var
  x : R; y : R;
  a : array [Id] of R;
  i : Id;
  cover : 0..1; -- reserved by Rumur only

startstate
begin
  undefine x;
  y.e := undefined;
  cover := 0;
  for j : Id; n := 0 to 5 by 5 do a[j].n := n; end;
  for n := x.n to y.n by x.n do x.n := n; end;
end;

rule "all"
  var l : Id;
begin
  if x.n = 0 then
    x := y;
  elsif x.n = 1 then
    x := a[i];
  else
    ;; put "nothing\n"; put x; put x.n + 1;
  endif;
  switch x.e
    case A, B: l := i;
    case y.e: error "equal";
    else assert "first" x.n = 0; assert x.n = 1 "second"; assert x.n = 2;
  endswitch;
  if isundefined(a[l].e) then endif
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- scalarset 0 Id : 1..3
-- type Id : scalarset(3)
-- type E : enum {A, B, C}
-- type R : record { 0 e : E; 1 n : 0..5 }
-- var 0 x : R
-- var 2 y : R
-- var 4 a : array [Id] of R
-- var 10 i : Id
-- var 11 cover : 0..1
-- leaves 12
-- start 0 ""
--   undefine x
--   undefine y.e
--   cover := 0
--   for j : Id
--     for n := 0 to 5 by 5
--       a[j].n := n
--   for n := x.n to y.n by x.n
--     x.n := n
-- rule 0 "all"
--   local l : Id
--   if (x.n = 0)
--     x := y
--   elsif (x.n = 1)
--     x := a[i]
--   else
--     put "nothing\n"
--     put x
--     put (x.n + 1)
--   switch x.e
--   case A, B
--     l := i
--   case y.e
--     error "equal" (prop 0)
--   else
--     assert (x.n = 0) "first" (prop 1)
--     assert (x.n = 1) "second" (prop 2)
--     assert (x.n = 2) "" (prop 3)
--   if isundefined(a[l].e)
-- prop 0 error "equal"
-- prop 1 assertion "first"
-- prop 2 assertion "second"
-- prop 3 assertion "assertion@34"
-- prop 4 runtime-error "runtime-error"
-- prop 5 deadlock "deadlock"
