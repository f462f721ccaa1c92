-- Reliable broadcast among nodes that fail in different ways.
--
-- A correct node that the message was given to sends it to all; who has received it from all nodes of some quorum of
-- A sends it to all, too; who has received it from all nodes of some quorum of B accepts it. Nodes may be faulty:
-- Halting ones send to all or to none, Omitting ones to some; Loud ones send to all whatever they please, Lying ones
-- to any; both of these receive and accept as they please. No node but those two accepts, unless the message was
-- given to such a node.
--
-- Who is faulty, and the quorums, are arbitrary: at the start all nodes are correct, and all are in all quorums.
-- Until the protocol begins any may fail and leave, as long as the assumptions hold.
--
-- Source: the problem hybrid_reliable_broadcast of the field (Widder, Schmid 2007; mypyvy, SWISS, DuoAI); this text
-- is our own.

const NODES: 2; AS: 2; BS: 2;

type Node: scalarset(NODES); A: scalarset(AS); B: scalarset(BS);
     Fault: enum {Correct, Halting, Omitting, Loud, Lying};

var Kind:     array[Node] of Fault;
    InA:      array[A] of array[Node] of boolean;
    InB:      array[B] of array[Node] of boolean;
    Running:  boolean;
    Given:    array[Node] of boolean;
    Sent:     array[Node] of array[Node] of boolean;      -- from the first to the second
    Received: array[Node] of array[Node] of boolean;      -- by the first, from the second
    Accepted: array[Node] of boolean;

startstate
  for n: Node do
    Kind[n] := Correct;
    Given[n] := false;
    Accepted[n] := false;
    for a: A do InA[a][n] := true; end;
    for b: B do InB[b][n] := true; end;
    for m: Node do Sent[n][m] := false; Received[n][m] := false; end;
  end;
  Running := false;
end;

ruleset n: Node; k: Fault do
  rule "Fail" !Running ==> begin Kind[n] := k; end;
end;

ruleset n: Node; a: A do
  rule "Leave A" !Running ==> begin InA[a][n] := false; end;
end;

ruleset n: Node; b: B do
  rule "Leave B" !Running ==> begin InB[b][n] := false; end;
end;

ruleset n: Node do
  rule "Give" !Running ==> begin Given[n] := true; end;
end;

rule "Begin" !Running ==> begin Running := true; end;

ruleset n: Node do
  rule "Send first" Running & Given[n] ==> begin for m: Node do Sent[n][m] := true; end; end;
end;

ruleset n: Node; m: Node do
  rule "Send first to one" Running & Given[n] & Kind[n] = Omitting ==> begin Sent[n][m] := true; end;

  rule "Receive" Sent[m][n] ==> begin Received[n][m] := true; end;
end;

ruleset n: Node; b: B do
  rule "Accept" Running & forall m: Node do InB[b][m] -> Received[n][m] end ==> begin Accepted[n] := true; end;
end;

ruleset n: Node; a: A do
  rule "Send" Running & forall m: Node do InA[a][m] -> Received[n][m] end ==> begin
    for m: Node do Sent[n][m] := true; end;
  end;
end;

ruleset n: Node; a: A; m: Node do
  rule "Send to one" Running & Kind[n] = Omitting & forall k: Node do InA[a][k] -> Received[n][k] end ==> begin
    Sent[n][m] := true;
  end;
end;

ruleset n: Node do
  rule "Shout" Running & Kind[n] = Loud ==> begin for m: Node do Sent[n][m] := true; end; end;
end;

ruleset n: Node; m: Node do
  rule "Lie" Running & Kind[n] = Lying ==> begin Sent[n][m] := true; end;

  rule "Pretend" Running & (Kind[n] = Lying | Kind[n] = Loud) ==> begin
    Received[n][m] := !Received[n][m];
    Accepted[n] := !Accepted[n];
  end;
end;

assume "A quorum of B is correct" exists b: B do forall n: Node do InB[b][n] -> Kind[n] = Correct end end;
assume "A has a sincere node" forall a: A do exists n: Node do InA[a][n] & Kind[n] != Lying & Kind[n] != Loud end end;
assume "B has what A needs"
  forall b: B do exists a: A do forall n: Node do
    InA[a][n] -> InB[b][n] & Kind[n] != Lying & Kind[n] != Omitting
  end end end;

invariant "Unforgeable"
  forall n: Node do
    Accepted[n] & Kind[n] != Lying & Kind[n] != Loud ->
      exists m: Node do Given[m] & Kind[m] != Lying & Kind[m] != Loud end
  end;
