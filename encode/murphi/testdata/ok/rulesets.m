-- Rulesets nest and flatten, the outermost parameter first; properties and
-- start states may stand in them; a colon may stand for do.
type Id : scalarset(2);
var x : array [Id] of 0..9;
ruleset i : Id do
  startstate "init" for j : Id do x[j] := 0; end; x[i] := 1; endstartstate;
  ruleset k := 1 to 9 by 2; b : boolean :
    rule "odd" b -> x[i] < k ==> begin x[i] := k; endrule;
    invariant "small" x[i] < 10 | b
  endruleset
  rule "down" x[i] > 0 ==> x[i] := x[i] - 1; end;
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- scalarset 0 Id : 1..2
-- type Id : scalarset(2)
-- var 0 x : array [Id] of 0..9
-- leaves 2
-- start 0 "init" [i : Id]
--   for j : Id
--     x[j] := 0
--   x[i] := 1
-- rule 0 "odd" [i : Id; k := 1 to 9 by 2; b : boolean]
--   guard (b -> (x[i] < k))
--   x[i] := k
-- rule 1 "down" [i : Id]
--   guard (x[i] > 0)
--   x[i] := (x[i] - 1)
-- prop 0 invariant "small" [i : Id; k := 1 to 9 by 2; b : boolean] ((x[i] < 10) | b)
-- prop 1 runtime-error "runtime-error"
-- prop 2 deadlock "deadlock"
