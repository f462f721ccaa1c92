-- Nodes send requests to each other, and answer each with a response. All that a node sends to another one waits in one
-- queue, and who sends waits for room. If both queues between two nodes are full of requests, none is ever answered.
--
-- POLICY says when a request may be sent: 0 whenever there is room; 1 if nothing waits in the queue back; 2 if one place
-- is left for a response; 3 if the sender has answered something since its last request.

--
-- expect: POLICY=0 unsafe prop="deadlock" depth=4
-- expect: POLICY=1 safe states=24
-- expect: POLICY=2 safe states=36
-- expect: POLICY=3 unsafe prop="deadlock" depth=13

const
  NODES: 2;
  ROOM: 2;
  POLICY: 0;

type
  Node: 0..NODES-1;
  Kind: enum {Request, Response};
  Message: record kind: Kind; end;

var
  Queue: array [Node] of array [Node] of array [0..ROOM-1] of Message; -- to, from
  Count: array [Node] of array [Node] of 0..ROOM;
  Token: array [Node] of boolean; -- may send a request though something waits

function MaySend(n: Node; o: Node): boolean;
begin
  switch POLICY
    case 1: return Count[n][o] = 0;
    case 2: return Count[o][n] < ROOM - 1;
    case 3: return Count[n][o] = 0 | Token[n];
    else return true;
  end;
end;

procedure Send(dst: Node; src: Node; kind: Kind);
var m: Message;
begin
  m.kind := kind;
  Queue[dst][src][Count[dst][src]] := m;
  Count[dst][src] := Count[dst][src] + 1;
end;

procedure Pop(dst: Node; src: Node);
begin
  for i := 0 to ROOM-2 do
    if i + 1 < Count[dst][src] then
      Queue[dst][src][i] := Queue[dst][src][i+1];
    end;
  end;
  undefine Queue[dst][src][Count[dst][src]-1];
  Count[dst][src] := Count[dst][src] - 1;
end;

startstate
  for n: Node do
    for o: Node do
      undefine Queue[n][o];
      Count[n][o] := 0;
    end;
    Token[n] := false;
  end;
end;

ruleset n: Node; o: Node do
  rule "Request"
    n != o & Count[o][n] < ROOM & MaySend(n, o)
  ==>
    Send(o, n, Request);
    Token[n] := false;
  end;

  rule "Answer"
    Count[n][o] > 0 & Queue[n][o][0].kind = Request & Count[o][n] < ROOM
  ==>
    Pop(n, o);
    Send(o, n, Response);
    Token[n] := true;
  end;

  rule "Take"
    Count[n][o] > 0 & Queue[n][o][0].kind = Response
  ==>
    Pop(n, o);
    Token[n] := true;
  end;
end;
