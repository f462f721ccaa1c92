-- Consensus by one vote of each node.
--
-- A node votes once, for any value. A value is decided when all nodes of some quorum have voted for it.
-- Quorums are arbitrary sets of nodes of which each two meet: at the start all nodes belong to all quorums, and
-- any may leave any, as long as the assumption holds, until the first vote.
--
-- Source: the problem toy_consensus_epr of the field (mypyvy, SWISS, DuoAI); this text is our own.

const NODES: 3; QUORUMS: 2; VALUES: 2;

type Node: scalarset(NODES); Quorum: scalarset(QUORUMS); Value: scalarset(VALUES);

var Member:  array[Quorum] of array[Node] of boolean;
    Running: boolean;
    Voted:   array[Node] of boolean;
    Vote:    array[Node] of array[Value] of boolean;
    Decided: array[Value] of boolean;

startstate
  for q: Quorum do for n: Node do Member[q][n] := true; end; end;
  Running := false;
  for n: Node do Voted[n] := false; for v: Value do Vote[n][v] := false; end; end;
  for v: Value do Decided[v] := false; end;
end;

ruleset q: Quorum; n: Node do
  rule "Leave" !Running ==> begin Member[q][n] := false; end;
end;

rule "Begin" !Running ==> begin Running := true; end;

ruleset n: Node; v: Value do
  rule "Vote" Running & !Voted[n] ==> begin
    Voted[n] := true;
    Vote[n][v] := true;
  end;
end;

ruleset q: Quorum; v: Value do
  rule "Decide" Running & forall n: Node do Member[q][n] -> Vote[n][v] end ==> begin
    Decided[v] := true;
  end;
end;

assume "Meet" forall p: Quorum do forall q: Quorum do exists n: Node do Member[p][n] & Member[q][n] end end end;

invariant "Agreement" forall v: Value do forall w: Value do Decided[v] & Decided[w] -> v = w end end;
