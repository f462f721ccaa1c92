const
  N : 3;
  P : 0.25;
type
  Prob : real(4, 99);
  Proc : scalarset(N);
var
  x : array [Proc] of 0..N;
function f(p : Proc) : Prob;
begin
  switch x[p]
  case 0, 1:
    return P / (1 + x[p]);
  else
    for q : Proc do
      if q = p then return 1.5e-1; end;
    end;
    return -0.5 + 1;
  end;
end;
startstate for p : Proc do x[p] := 0; end; end;
ruleset p : Proc do
  distribution
    rule "a" f(p) ==> x[p] := 1; end;
    rule "b" 1 - f(p) ==> x[p] := 0; end;
  end;
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- const N : integer = 3
-- const P : real = 0.25
-- scalarset 0 Proc : 1..3
-- type Prob : real(4, 99)
-- type Proc : scalarset(3)
-- var 0 x : array [Proc] of 0..3
-- leaves 3
-- procedure 0 f(var p : Proc) : Prob
--   switch x[p]
--   case 0, 1
--     return (0.25 / (1 + x[p]))
--   else
--     for q : Proc
--       if (q = p)
--         return +1.500e-01
--     return +5.000e-01
-- procedure 1 f@num(var p : Proc) : -4611686018427387903..4611686018427387903
--   switch x[p]
--   case 0, 1
--     return 1
--   else
--     for q : Proc
--       if (q = p)
--         return 3
--     return 1
-- procedure 2 f@den(var p : Proc) : -4611686018427387903..4611686018427387903
--   switch x[p]
--   case 0, 1
--     return (4 * (1 + x[p]))
--   else
--     for q : Proc
--       if (q = p)
--         return 20
--     return 2
-- start 0 ""
--   for p : Proc
--     x[p] := 0
-- rule 0 "a" [p : Proc]
--   guard (((let p : Proc = p in f@num(p)) != 0) | ((let p : Proc = p in f@den(p)) = 0))
--   x[p] := 1
-- rule 1 "b" [p : Proc]
--   guard ((((let p : Proc = p in f@den(p)) - (let p : Proc = p in f@num(p))) != 0) | ((let p : Proc = p in f@den(p)) = 0))
--   x[p] := 0
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
