-- Names of properties are unique; those of the last two are fixed.
var x : 0..3;
startstate x := 0; assert "p" x = 0; end;
rule error "p"; assert x = 1; assert x = 2; end;
invariant "p" x < 4;
invariant x < 5 "p";
invariant x < 6; invariant x < 7;
assert x < 8;
ruleset i : 0..1 do invariant "deadlock" x >= i; end;
rule invariant x = 3; error ""; end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- var 0 x : 0..3
-- leaves 1
-- start 0 ""
--   x := 0
--   assert (x = 0) "p" (prop 6)
-- rule 0 ""
--   error "p" (prop 7)
--   assert (x = 1) "" (prop 8)
--   assert (x = 2) "" (prop 9)
-- rule 1 ""
--   assert (x = 3) "" (prop 10)
--   error "" (prop 11)
-- prop 0 invariant "p" (x < 4)
-- prop 1 invariant "p@6" (x < 5)
-- prop 2 invariant "invariant@7" (x < 6)
-- prop 3 invariant "invariant@7:18" (x < 7)
-- prop 4 invariant "invariant@8" (x < 8)
-- prop 5 invariant "deadlock@9" [i : 0..1] (x >= i)
-- prop 6 assertion "p@3"
-- prop 7 error "p@4"
-- prop 8 assertion "assertion@4"
-- prop 9 assertion "assertion@4:31"
-- prop 10 assertion "assertion@10"
-- prop 11 error "error@10"
-- prop 12 runtime-error "runtime-error"
-- prop 13 deadlock "deadlock"
