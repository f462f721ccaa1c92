-- Synchronous leader election (Itai and Rodeh, Symmetry breaking in distributed networks, 1990), as in the case study of PRISM:
-- each process draws one of K numbers; a process whose number nobody else has is elected; if there is none, all draw again.
-- A round is N draws and one look, so N + 1 steps.
--
-- Published: P>=1 [F elected]; expected rounds 27/20 for N = 4, K = 3. So E=? [F elected] = 27/4.
const
  N : 4; -- processes
  K : 3; -- numbers
type
  Proc : scalarset(N);
  Number : 0..K; -- 0: none is drawn
var
  number : array [Proc] of Number;
  left : 0..N; -- processes that have not drawn
  elected : boolean;

startstate
  for p : Proc do
    number[p] := 0;
  end;
  left := N;
  elected := false;
end;

ruleset p : Proc; n : 1..K do
  rule "draw" number[p] = 0 & !elected ? 1.0 / (K * left) : 0.0 ==> number[p] := n; left := left - 1; end;
end;

rule "look" !elected & left = 0 ==>
  elected := exists p : Proc do
    forall q : Proc do p = q | number[p] != number[q] end
  end;
  for p : Proc do
    number[p] := 0;
  end;
  left := N;
end;
