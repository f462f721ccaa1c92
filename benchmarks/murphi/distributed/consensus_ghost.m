-- A leader elected by a quorum that was chosen before decides on a value.
--
-- As consensus.m, but a quorum of whose votes somebody has all is chosen first, and a leader has those of the quorum
-- that is chosen. So what a leader rests on can be said without "there is a quorum".
--
-- Nodes ask each other for their votes by messages. A node votes once; the vote is a message. A leader decides once.
-- Messages may be received late, again, or never.
--
-- Source: the problem consensus_forall of the field (mypyvy, SWISS, DuoAI); this text is our own.

const NODES: 2; QUORUMS: 2; VALUES: 2;

type Node: scalarset(NODES); Quorum: scalarset(QUORUMS); Value: scalarset(VALUES);

var Member:  array[Quorum] of array[Node] of boolean;
    Running: boolean;
    Asked:   array[Node] of array[Node] of boolean;  -- a message from the first to the second
    Voted:   array[Node] of boolean;
    Vote:    array[Node] of array[Node] of boolean;  -- a message from the first, who votes, to the second
    Counted: array[Node] of array[Node] of boolean;  -- the first has the vote of the second
    Chosen:  Quorum;                                 -- undefined before the first choice
    Leader:  array[Node] of boolean;
    Decided: array[Node] of array[Value] of boolean;

startstate
  for q: Quorum do for n: Node do Member[q][n] := true; end; end;
  Running := false;
  for n: Node do
    Voted[n] := false;
    Leader[n] := false;
    for m: Node do Asked[n][m] := false; Vote[n][m] := false; Counted[n][m] := false; end;
    for v: Value do Decided[n][v] := false; end;
  end;
end;

ruleset q: Quorum; n: Node do
  rule "Leave" !Running ==> begin Member[q][n] := false; end;
end;

rule "Begin" !Running ==> begin Running := true; end;

ruleset n: Node; m: Node do
  rule "Ask" Running ==> begin Asked[n][m] := true; end;

  rule "Vote" Asked[m][n] & !Voted[n] ==> begin
    Voted[n] := true;
    Vote[n][m] := true;
  end;

  rule "Forget" Asked[n][m] & Voted[m] ==> begin Asked[n][m] := false; end;

  rule "Count" Vote[m][n] ==> begin Counted[n][m] := true; end;
end;

ruleset n: Node; q: Quorum do
  rule "Choose" Running & forall m: Node do Member[q][m] -> Counted[n][m] end ==> begin Chosen := q; end;
end;

ruleset n: Node do
  rule "Lead" !isundefined(Chosen) & forall m: Node do Member[Chosen][m] -> Counted[n][m] end ==> begin
    Leader[n] := true;
  end;
end;

ruleset n: Node; v: Value do
  rule "Decide" Leader[n] & forall w: Value do !Decided[n][w] end ==> begin Decided[n][v] := true; end;
end;

assume "Meet" forall p: Quorum do forall q: Quorum do exists n: Node do Member[p][n] & Member[q][n] end end end;

invariant "Agreement"
  forall n: Node do forall v: Value do forall m: Node do forall w: Value do
    Decided[n][v] & Decided[m][w] -> v = w
  end end end end;
