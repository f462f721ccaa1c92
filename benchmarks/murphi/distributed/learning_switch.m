-- Switches learn from which neighbour the packets of a node come.
--
-- For each node S, Way[S] is the order that the learnt next hops towards S make: Way[S][x][y] if the way from x leads over
-- y. A packet of s is at a node, where it came from a neighbour. If that node has not learnt a way to s, it learns that it
-- goes over this neighbour; then the packet goes to all nodes, some of which forget it. The ways never make a circle: each
-- Way[S] is reflexive, transitive, antisymmetric, and a chain above each node.
--
-- Source: the problem learning_switch_quad of the field (SWISS, DuoAI). This text is our own. It leaves out where packets
-- are to go, as they go everywhere.

const NODES: 2;

type Node: scalarset(NODES);

var Way:     array[Node] of array[Node] of array[Node] of boolean;
    Pending: array[Node] of array[Node] of array[Node] of boolean;  -- of, came from, is at

startstate
  for s: Node do for x: Node do for y: Node do
    Way[s][x][y] := x = y;
    Pending[s][x][y] := false;
  end; end; end;
end;

ruleset s: Node do
  rule "New" true ==> begin Pending[s][s][s] := true; end;
end;

ruleset s: Node; from: Node; at: Node do
  rule "Forget" Pending[s][from][at] ==> begin Pending[s][from][at] := false; end;

  rule "Learn and flood" Pending[s][from][at] ==>
  var old: array[Node] of array[Node] of boolean;
  begin
    for x: Node do for y: Node do old[x][y] := Way[s][x][y]; end; end;
    if s != at & forall w: Node do w != at -> !old[at][w] end then
      for x: Node do for y: Node do Way[s][x][y] := old[x][y] | old[x][at] & old[from][y]; end; end;
    end;
    for y: Node do Pending[s][at][y] := true; end;
  end;
end;

invariant "Reflexive" forall s: Node do forall x: Node do Way[s][x][x] end end;
invariant "Transitive"
  forall s: Node do forall x: Node do forall y: Node do forall z: Node do
    Way[s][x][y] & Way[s][y][z] -> Way[s][x][z]
  end end end end;
invariant "No circle"
  forall s: Node do forall x: Node do forall y: Node do Way[s][x][y] & Way[s][y][x] -> x = y end end end;
invariant "Chain"
  forall s: Node do forall x: Node do forall y: Node do forall z: Node do
    Way[s][x][y] & Way[s][x][z] -> Way[s][y][z] | Way[s][z][y]
  end end end end;
