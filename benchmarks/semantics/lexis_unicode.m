-- Rumur's mathematical symbols are spellings of the operators.
-- cmurphi: safe states=4
-- rumur: safe states=4
-- CMurphi gives: rejected
var a, b: boolean; n: 0..9;
startstate a ≔ true; b ≔ false; n ≔ 6; end;
rule true ⇒ a ≔ ¬a; assert a ∧ b ∨ ¬a → n ≥ 6 "msg"; end;
rule true ⇒ b ≔ b ≠ true; assert n ÷ 2 × 2 = 7 − 1 ∧ n ≤ 6 "arith"; end;
invariant ∀ i: 0..2 do i < n end ∧ ∃ i: 3..7 do i = n end;
