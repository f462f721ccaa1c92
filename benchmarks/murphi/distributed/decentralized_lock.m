-- A lock that nodes hand on by messages, without a server.
--
-- Source: the problem decentralized_lock of DuoAI (SWISS: simple-de-lock); this text is our own.

const NODES: 3;

type Node: scalarset(NODES);

var Holds:   array[Node] of boolean;
    Message: array[Node] of array[Node] of boolean;  -- the lock, from the first to the second

ruleset first: Node do
  startstate
    for n: Node do
      Holds[n] := n = first;
      for m: Node do Message[n][m] := false; end;
    end;
  end;
end;

ruleset n: Node; m: Node do
  rule "Send" Holds[n] ==> begin Holds[n] := false; Message[n][m] := true; end;
  rule "Receive" Message[n][m] ==> begin Message[n][m] := false; Holds[m] := true; end;
end;

invariant "Alone" forall n: Node do forall m: Node do Holds[n] & Holds[m] -> n = m end end;
