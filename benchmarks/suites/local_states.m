-- N processes, each in one of L local states, and nothing else: every state is reachable.
-- The orbits are the multisets of N local states, of which there are (N+L-1 choose N).
--
-- expect: safe states=64

const N: 3;
      L: 4;

type PROC:  scalarset(N);
     LOCAL: 0..L-1;

var State: array [PROC] of LOCAL;

startstate
  for p: PROC do State[p] := 0; end;
end;

ruleset p: PROC; v: LOCAL do
  rule "Go" State[p] != v ==>
  begin
    State[p] := v;
  end;
end;

invariant "Trivial" forall p: PROC do State[p] < L end;
