-- Consensus by one vote of each node, with the quorum of the last decision.
--
-- As toy_consensus.m, but a decision leaves its quorum behind. So what a decision rests on can be said without
-- "there is a quorum".
--
-- Source: the problem toy_consensus_forall of the field (mypyvy, SWISS, DuoAI); this text is our own.

const NODES: 3; QUORUMS: 2; VALUES: 2;

type Node: scalarset(NODES); Quorum: scalarset(QUORUMS); Value: scalarset(VALUES);

var Member:  array[Quorum] of array[Node] of boolean;
    Running: boolean;
    Vote:    array[Node] of Value;       -- undefined before the vote
    Decided: array[Value] of boolean;
    Chosen:  Quorum;                     -- undefined before a decision

startstate
  for q: Quorum do for n: Node do Member[q][n] := true; end; end;
  Running := false;
  for v: Value do Decided[v] := false; end;
end;

ruleset q: Quorum; n: Node do
  rule "Leave" !Running ==> begin Member[q][n] := false; end;
end;

rule "Begin" !Running ==> begin Running := true; end;

ruleset n: Node; v: Value do
  rule "Vote" Running & isundefined(Vote[n]) ==> begin Vote[n] := v; end;
end;

ruleset q: Quorum; v: Value do
  rule "Decide" Running & forall n: Node do Member[q][n] -> !isundefined(Vote[n]) & Vote[n] = v end ==> begin
    Decided[v] := true;
    Chosen := q;
  end;
end;

assume "Meet" forall p: Quorum do forall q: Quorum do exists n: Node do Member[p][n] & Member[q][n] end end end;

invariant "Agreement" forall v: Value do forall w: Value do Decided[v] & Decided[w] -> v = w end end;
