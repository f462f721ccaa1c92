-- A sum of real numbers has an order, so the values of p are no longer interchangeable.
-- cmurphi: safe states=16
-- rumur: safe states=16
-- options: deadlock=off engine=explicit
-- Rumur gives: rejected
type P: scalarset(3); R: real(3, 20);
var x: array [P] of R; s: R; n: 0..2;
startstate begin n := 0; s := 0; for p: P do x[p] := 0; end; end;
ruleset p: P do
  rule n < 2 & x[p] = 0.0 ==> begin x[p] := n = 0 ? 100.0 : 0.4; n := n + 1; end;
end;
rule n = 2 ==> begin s := 0; for p: P do s := s + x[p]; end; end;
