-- Properties that are not invariants, declared and as statements, by order of
-- kind; their words are names wherever they cannot be properties.
var x : 0..3; cover, assume : boolean;
liveness x = 0 "ends"; liveness "c" x < 3;
procedure Liveness(b : boolean); begin cover "in a procedure" x = 1; assume x < 3; assert b "p"; error "e"; end;
startstate x := 0; cover := true; assume := cover; Liveness(cover); end;
cover "c" x = 1;
assume (x < 3);
ruleset i : 0..1 do
  cover x = i; invariant x >= 0; assume x + i < 4 "small";
  rule cover & assume ==> cover x = 2 "c"; cover (x = i); assume cover; Liveness(assume); end;
end;
invariant "c" x < 4;
rule assume := false; end;
rule cover "s" x = 1; end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- var 0 x : 0..3
-- var 1 cover : boolean
-- var 2 assume : boolean
-- leaves 3
-- procedure 0 Liveness(var b : boolean)
--   cover (x = 1) (prop 6)
--   assume (x < 3)
--   assert b "p" (prop 7)
--   error "e" (prop 8)
-- start 0 ""
--   x := 0
--   cover := true
--   assume := cover
--   Liveness(cover)
-- rule 0 "" [i : 0..1]
--   guard (cover & assume)
--   cover (x = 2) (prop 9)
--   cover (x = i) (prop 10)
--   assume cover
--   Liveness(assume)
-- rule 1 ""
--   assume := false
-- rule 2 ""
--   cover (x = 1) (prop 11)
-- prop 0 invariant "invariant@10" [i : 0..1] (x >= 0)
-- prop 1 invariant "c" (x < 4)
-- prop 2 cover "c@7" (x = 1)
-- prop 3 cover "cover@10" [i : 0..1] (x = i)
-- prop 4 liveness "ends" (x = 0)
-- prop 5 liveness "c@4" (x < 3)
-- prop 6 cover "in a procedure"
-- prop 7 assertion "p"
-- prop 8 error "e"
-- prop 9 cover "c@11"
-- prop 10 cover "cover@11"
-- prop 11 cover "s"
-- prop 12 runtime-error "runtime-error"
-- prop 13 deadlock "deadlock"
-- assume "assumption@8" (x < 3)
-- assume "small" [i : 0..1] ((x + i) < 4)
