-- Real numbers: what is stored is rounded, constants are exact, guards are fractions.
const N : 3; STEP : 0.25; ROOT : sqrt(2.0); BIG : 2 * STEP + N;
type Short : real(2, 10); Long : real(8, N * 33); Proc : scalarset(N);
  Pair : record a : Short; b : Long; end;
var x, y : Short; z : Long; a : array [Proc] of Short; r, s : Pair; n : 0..N;
  m : multiset [2] of Long;
function half(v : Long) : Long; begin return v / 2; end;
function share(i : 0..N) : Long; begin return (i + 1) / 8.0; end;
function count(i : 0..N) : Short; var t : Long; begin t := i; t := t * STEP; return t; end;
procedure set(var v : Short; w : Long); begin v := w; end;
startstate
  clear a; x := STEP; y := 1.5e-3; z := -BIG + ROOT; n := 0;
  r.a := x; r.b := n; undefine s;
end;
rule "store" x < y & z >= n | x = y -> !isundefined(s.a) ==>
  const third : 1.0 / 3;
  var t : Short;
begin
  t := n > 0 ? x : third; x := t + n * 2; y := x; z := x; x := r.a; s := r;
  set(x, half(z) + count(n)); set(y, 1); z := pow(x, 2) - fmod(z, 3) + fabs(-y);
  multisetadd(z, m); alias q : x * 2; p : x do p := q; end;
  put x;
end;
ruleset p : Proc do
  rule "drawn" n = 0 ? a[p] * share(n) : 0.0 ==> a[p] := a[p] + 0.1; end;
  rule "rest" 1 - a[p] / 2 - half(x) ==> end;
end;
invariant "small" forall p : Proc do a[p] <= 1 + x end & r = s;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- const N : integer = 3
-- const STEP : real = 0.25
-- const ROOT : real = 1.4142135623730951
-- const BIG : real = 3.5
-- scalarset 0 Proc : 1..3
-- slots 1 : 0..1
-- type Short : real(2, 10)
-- type Long : real(8, 99)
-- type Proc : scalarset(3)
-- type Pair : record { 0 a : Short; 1 b : Long }
-- var 0 x : Short
-- var 1 y : Short
-- var 2 z : Long
-- var 3 a : array [Proc] of Short
-- var 6 r : Pair
-- var 8 s : Pair
-- var 10 n : 0..3
-- var 11 m : multiset [2] of Long
-- leaves 15
-- procedure 0 half(var v : Long) : Long
--   return (v / 2)
-- procedure 1 share(var i : 0..3) : Long
--   return ((i + 1) / 8)
-- procedure 2 share@num(var i : 0..3) : -4611686018427387903..4611686018427387903
--   return (i + 1)
-- procedure 3 share@den(var i : 0..3) : -4611686018427387903..4611686018427387903
--   return 8
-- procedure 4 count(var i : 0..3) : Short
--   local t : Long
--   t := i
--   t := (t * 0.25)
--   return t
-- procedure 5 set(var v : Short; var w : Long)
--   if isundefined(w)
--     undefine v
--   else
--     v := w
-- start 0 ""
--   clear a
--   x := +2.5e-01
--   y := +1.5e-03
--   z := -2.0857864e+00
--   n := 0
--   r.a := x
--   r.b := n
--   undefine s
-- rule 0 "store"
--   guard ((((x < y) & (z >= n)) | (x = y)) -> !isundefined(s.a))
--   local t : Short
--   t := ((n > 0) ? x : 0.3333333333333333)
--   x := (t + (n * 2))
--   y := x
--   if isundefined(x)
--     undefine z
--   else
--     z := x
--   x := r.a
--   s := r
--   let w : Long = (half(z) + count(n))
--     set(x, w)
--   let w : Long = +1.0000000e+00
--     set(y, w)
--   z := ((pow(x, 2) - fmod(z, 3)) + fabs(-y))
--   insert z into m
--   let q : real = (x * 2)
--     x := q
--   put x
-- rule 1 "drawn" [p : Proc]
--   guard ((((n = 0) ? (numerator(a[p]) * share@num(n)) : 0) != 0) | (((n = 0) ? (denominator(a[p]) * share@den(n)) : 1) = 0))
--   a[p] := (a[p] + 0.1)
-- rule 2 "rest" [p : Proc]
--   guard ((((((denominator(a[p]) * 2) - numerator(a[p])) * denominator((let v : Long = x in half(v)))) - (numerator((let v : Long = x in half(v))) * (denominator(a[p]) * 2))) != 0) | (((denominator(a[p]) * 2) * denominator((let v : Long = x in half(v)))) = 0))
-- prop 0 invariant "small" (forall p : Proc do (a[p] <= (1 + x)) end & (isundefined(r.a) ? isundefined(s.a) : (!isundefined(s.a) & (r.a = s.a))) & (isundefined(r.b) ? isundefined(s.b) : (!isundefined(s.b) & (r.b = s.b))))
-- prop 1 runtime-error "runtime-error"
-- prop 2 deadlock "deadlock"
