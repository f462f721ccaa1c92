-- Nodes ask for locks, are granted them, and give them back, all by messages.
--
-- Source: the problem lock_server_async of the field (Verdi; mypyvy, SWISS, DuoAI); this text is our own.

const NODES: 2; LOCKS: 2;

type Node: scalarset(NODES); Lock: scalarset(LOCKS);

var Asked:   array[Node] of array[Lock] of boolean;
    Granted: array[Node] of array[Lock] of boolean;
    Holds:   array[Node] of array[Lock] of boolean;
    Back:    array[Node] of array[Lock] of boolean;
    Free:    array[Lock] of boolean;

startstate
  for l: Lock do
    Free[l] := true;
    for n: Node do Asked[n][l] := false; Granted[n][l] := false; Holds[n][l] := false; Back[n][l] := false; end;
  end;
end;

ruleset n: Node; l: Lock do
  rule "Ask" true ==> begin Asked[n][l] := true; end;
  rule "Grant" Asked[n][l] & Free[l] ==> begin Asked[n][l] := false; Free[l] := false; Granted[n][l] := true; end;
  rule "Take" Granted[n][l] ==> begin Granted[n][l] := false; Holds[n][l] := true; end;
  rule "Give back" Holds[n][l] ==> begin Holds[n][l] := false; Back[n][l] := true; end;
  rule "Release" Back[n][l] ==> begin Back[n][l] := false; Free[l] := true; end;
end;

invariant "Alone"
  forall l: Lock do forall n: Node do forall m: Node do Holds[n][l] & Holds[m][l] -> n = m end end end;
