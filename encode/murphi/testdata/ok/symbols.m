-- The mathematical symbols and quotes of Rumur.
var x : 0..9; b : boolean;
startstate x ≔ 0; b := ¬false end;
rule “times” x × 2 ≤ 9 ∧ x ≥ 0 ∨ (b → x ≠ 3) ⇒ x := 2 × x ÷ 1 − 0 ∕ 1; end;
invariant "quote \"x\" \\" ∀ i : 0..1 do ∃ j : 0..1 do i == j end end

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- var 0 x : 0..9
-- var 1 b : boolean
-- leaves 2
-- start 0 ""
--   x := 0
--   b := true
-- rule 0 "times"
--   guard ((((x * 2) <= 9) & (x >= 0)) | (b -> (x != 3)))
--   x := (((2 * x) / 1) - 0)
-- prop 0 invariant "quote \"x\" \\" forall i : 0..1 do exists j : 0..1 do (i = j) end end
-- prop 1 runtime-error "runtime-error"
-- prop 2 deadlock "deadlock"
