-- Rules may stand between sections and see what was declared before them.
var x : boolean;
startstate "a" x := true; end;
rule x ==> x := false; end
var y : 0..1;
rule "b" y = 1 ==> var x : 0..3; begin x := y; end;
invariant x

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- var 0 x : boolean
-- var 1 y : 0..1
-- leaves 2
-- start 0 "a"
--   x := true
-- rule 0 ""
--   guard x
--   x := false
-- rule 1 "b"
--   guard (y = 1)
--   local x : 0..3
--   x := y
-- prop 0 invariant "invariant@7" x
-- prop 1 runtime-error "runtime-error"
-- prop 2 deadlock "deadlock"
