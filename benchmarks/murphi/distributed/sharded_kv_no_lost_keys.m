-- A store whose keys belong to nodes, which hand them on with their values by messages.
--
-- As sharded_kv.m, but at the start each key has an owner. No key gets lost: as long as no message is under way, it
-- has one.
--
-- Source: the problem sharded_kv_no_lost_keys of the field (mypyvy, SWISS, DuoAI); this text is our own.

const NODES: 2; KEYS: 2; VALUES: 2;

type Node: scalarset(NODES); Key: scalarset(KEYS); Value: scalarset(VALUES);

var Running: boolean;
    Owner:   array[Node] of array[Key] of boolean;
    Table:   array[Node] of array[Key] of array[Value] of boolean;
    Moving:  array[Node] of array[Key] of array[Value] of boolean;  -- a message to the node

startstate
  Running := false;
  for n: Node do for k: Key do
    Owner[n][k] := false;
    for v: Value do Table[n][k][v] := false; Moving[n][k][v] := false; end;
  end; end;
end;

ruleset n: Node; k: Key do
  rule "Claim" !Running & forall m: Node do !Owner[m][k] end ==> begin Owner[n][k] := true; end;
end;

rule "Begin" !Running & forall k: Key do exists n: Node do Owner[n][k] end end ==> begin Running := true; end;

ruleset n: Node; k: Key; v: Value do
  rule "Put" Running & Owner[n][k] ==> begin for w: Value do Table[n][k][w] := w = v; end; end;

  rule "Receive" Moving[n][k][v] ==> begin
    Moving[n][k][v] := false;
    Table[n][k][v] := true;
    Owner[n][k] := true;
  end;
end;

ruleset n: Node; m: Node; k: Key; v: Value do
  rule "Move" Table[n][k][v] ==> begin
    Table[n][k][v] := false;
    Owner[n][k] := false;
    Moving[m][k][v] := true;
  end;
end;

invariant "Owned"
  (exists n: Node do exists k: Key do exists v: Value do Moving[n][k][v] end end end) |
  !Running | forall k: Key do exists n: Node do Owner[n][k] end end;
