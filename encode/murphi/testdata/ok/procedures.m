-- Procedures and functions, as CMurphi passes arguments: value parameters by
-- reference where the argument is a variable of the same type, through a variable
-- of their own elsewhere.
type
  Id : 0..2; S : scalarset(2); E : enum { A, B }; U : union { S, E };
  R : record n : Id; u : U; end;
var
  x : Id; y : 0..5; a : array [Id] of Id; r : R; u : U; s : S; b : boolean;

procedure Nothing(); begin end;
procedure Set(var dst : Id; n : Id;); begin dst := n; endprocedure
procedure Two(; var p, q : Id; r : R); var x : boolean; z, w : Id; begin x := p = q; z := r.n; p := z; end;
function Next(n : Id) : Id begin return (n + 1) % 3; end;
function Whole(r : R) : R; const two : 2; var l : R; begin l := r; l.n := two; return l; end
function Down(n : Id) : Id;
  if n = 0 then return 0; end;
  return Down(n - 1);
endfunction;
function Early(u : U) : boolean; begin
  if isundefined(u) then return false; end;
  switch u case A: return true; else return ismember(u, S); end;
end;
procedure Word() : boolean; begin return true; endfunction

startstate
  Nothing(); Set(x, 1); x := 2; y := 0; undefine r; u := A; b := true;
end;

ruleset i : Id; t : S do
rule "places"
  Early(u) & x = Next(i) & Next(x) != Next(y)
==>
  Set(x, x); Set(a[x], i); Set(a[Next(x)], y); Set(x, 7); Set(x, undefined);
  Two(a[0], a[i], r); Two(r.n, x, Whole(r));
end end;

rule "calls"
  r := Whole(r); x := Whole(r).n; b := Whole(r) = r; b := Early(A) | Early(s) | Early(undefined);
  x := Down(Next(Next(x))); Next(x);
  return;
  x := 0;
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- scalarset 0 S : 1..2
-- type Id : 0..2
-- type S : scalarset(2)
-- type E : enum {A, B}
-- type U : union {S, E}
-- type R : record { 0 n : Id; 1 u : U }
-- var 0 x : Id
-- var 1 y : 0..5
-- var 2 a : array [Id] of Id
-- var 5 r : R
-- var 7 u : U
-- var 8 s : S
-- var 9 b : boolean
-- leaves 10
-- procedure 0 Nothing()
-- procedure 1 Set(var dst : Id; var n : Id)
--   dst := n
-- procedure 2 Two(var p : Id; var q : Id; var r : R)
--   local x : boolean
--   local z : Id
--   local w : Id
--   x := (p = q)
--   z := r.n
--   p := z
-- procedure 3 Next(var n : Id) : Id
--   return ((n + 1) % 3)
-- procedure 4 Whole(var r : R) : R
--   local l : R
--   l := r
--   l.n := 2
--   return l
-- procedure 5 Down(var n : Id) : Id
--   if (n = 0)
--     return 0
--   return (let n : Id = (n - 1) in Down(n))
-- procedure 6 Early(var u : U) : boolean
--   if isundefined(u)
--     return false
--   switch u
--   case U(A)
--     return true
--   else
--     return ismember(u, S)
-- procedure 7 Word() : boolean
--   return true
-- start 0 ""
--   Nothing()
--   let n : Id = 1
--     Set(x, n)
--   x := 2
--   y := 0
--   undefine r
--   u := U(A)
--   b := true
-- rule 0 "places" [i : Id; t : S]
--   guard (Early(u) & (x = (let n : Id = i in Next(n))) & (Next(x) != (let n : Id = (y + 0) in Next(n))))
--   local undefined : Id
--   Set(x, x)
--   alias a : a[x]
--     let n : Id = i
--       Set(a, n)
--   alias a : a[Next(x)]
--     let n : Id = (y + 0)
--       Set(a, n)
--   let n : Id = 7
--     Set(x, n)
--   Set(x, undefined)
--   Two(a[0], a[i], r)
--   let r : R = Whole(r)
--     Two(r.n, x, r)
-- rule 1 "calls"
--   local undefined : U
--   r := Whole(r)
--   x := (let result : R = Whole(r) in result.n)
--   b := (let value : R = Whole(r) in ((isundefined(value.n) ? isundefined(r.n) : (!isundefined(r.n) & (value.n = r.n))) & (isundefined(value.u) ? isundefined(r.u) : (!isundefined(r.u) & (value.u = r.u)))))
--   b := ((let u : U = U(A) in Early(u)) | (let u : U = U(s) in Early(u)) | Early(undefined))
--   x := (let n : Id = (let n : Id = Next(x) in Next(n)) in Down(n))
--   Next(x)
--   return
--   x := 0
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
