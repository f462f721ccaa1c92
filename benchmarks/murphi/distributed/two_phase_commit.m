-- Two-phase commit: all commit, or all abort.
--
-- A node votes yes, votes no and aborts at once, or fails. If all have voted yes, all are told to commit; if one has
-- voted no or failed, all are told to abort.
--
-- Source: the problem two_phase_commit of the field (I4, DistAI, DuoAI), after Gray 1978; this text is our own.

const NODES: 3;

type Node: scalarset(NODES);
     Vote: enum {None, Yes, No};
     Act:  enum {Wait, Commit, Abort};

var Voted:   array[Node] of Vote;
    Alive:   array[Node] of boolean;
    Told:    array[Node] of Act;
    Done:    array[Node] of Act;
    Trouble: boolean;                 -- a node has voted no or failed

startstate
  for n: Node do Voted[n] := None; Alive[n] := true; Told[n] := Wait; Done[n] := Wait; end;
  Trouble := false;
end;

ruleset n: Node do
  rule "Yes" Alive[n] & Voted[n] != No & Done[n] = Wait ==> begin Voted[n] := Yes; end;

  rule "No" Alive[n] & Voted[n] != Yes & Done[n] = Wait ==> begin
    Voted[n] := No;
    Done[n] := Abort;
    Trouble := true;
  end;

  rule "Fail" Alive[n] ==> begin Alive[n] := false; Trouble := true; end;

  rule "Act" Alive[n] & Told[n] != Wait ==> begin Done[n] := Told[n]; end;
end;

rule "Tell to commit" forall n: Node do Told[n] = Wait & Voted[n] = Yes end ==> begin
  for n: Node do Told[n] := Commit; end;
end;

rule "Tell to abort"
  (forall n: Node do Told[n] = Wait end) & exists n: Node do Voted[n] = No | !Alive[n] end
==> begin
  for n: Node do Told[n] := Abort; end;
end;

invariant "Agreement" forall n: Node do forall m: Node do Done[n] = Commit -> Done[m] != Abort end end;
invariant "All said yes" forall n: Node do forall m: Node do Done[n] = Commit -> Voted[m] = Yes end end;
invariant "No abort without trouble" forall n: Node do Done[n] = Abort -> Trouble end;
