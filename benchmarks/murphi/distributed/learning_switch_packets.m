-- Switches learn from which neighbour the packets of a node come, and send packets the way that they have learnt.
--
-- As learning_switch.m, but packets are things with a source and a destination, and a packet whose destination is known
-- goes one hop on the way there. Dom[S] are the nodes that have learnt a way to S.
--
-- Source: the problem learning_switch_ternary of the field (SWISS, DuoAI); this text is our own.

const NODES: 2; PACKETS: 1;

type Node: scalarset(NODES); Packet: scalarset(PACKETS);

var Source:  array[Packet] of Node;  -- undefined before it is sent
    Target:  array[Packet] of Node;
    Link:    array[Node] of array[Node] of boolean;
    Dom:     array[Node] of array[Node] of boolean;
    Way:     array[Node] of array[Node] of array[Node] of boolean;
    Pending: array[Packet] of array[Node] of array[Node] of boolean;  -- came from, is at

startstate
  for s: Node do for x: Node do
    Link[s][x] := false;
    Dom[s][x] := false;
    for y: Node do Way[s][x][y] := x = y; end;
    for p: Packet do Pending[p][s][x] := false; end;
  end; end;
end;

ruleset x: Node; y: Node do
  rule "Join" x != y ==> begin Link[x][y] := true; Link[y][x] := true; end;
end;

ruleset p: Packet; s: Node; d: Node do
  rule "Send" isundefined(Source[p]) ==> begin Source[p] := s; Target[p] := d; Pending[p][s][s] := true; end;
end;

ruleset p: Packet; from: Node; at: Node do
  rule "Flood" Pending[p][from][at] & !Dom[Target[p]][at] ==>
  var old: array[Node] of array[Node] of boolean;
  begin
    for x: Node do for y: Node do old[x][y] := Way[Source[p]][x][y]; end; end;
    if !Dom[Source[p]][at] & Source[p] != at then
      Dom[Source[p]][at] := true;
      for x: Node do for y: Node do Way[Source[p]][x][y] := old[x][y] | old[x][at] & old[from][y]; end; end;
    end;
    if Target[p] != at then for y: Node do Pending[p][at][y] := Link[at][y] & y != from; end; end;
  end;
end;

ruleset p: Packet; from: Node; at: Node; next: Node do
  rule "Route"
    Pending[p][from][at] & Dom[Target[p]][at] & at != next & Way[Target[p]][at][next] &
    forall z: Node do Way[Target[p]][at][z] & at != z -> Way[Target[p]][next][z] end
  ==>
  var old: array[Node] of array[Node] of boolean;
  begin
    for x: Node do for y: Node do old[x][y] := Way[Source[p]][x][y]; end; end;
    if !Dom[Source[p]][at] & Source[p] != at then
      Dom[Source[p]][at] := true;
      for x: Node do for y: Node do Way[Source[p]][x][y] := old[x][y] | old[x][at] & old[from][y]; end; end;
    end;
    if Target[p] != at then Pending[p][at][next] := true; end;
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
