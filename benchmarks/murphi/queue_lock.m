-- A lock that is granted in the order of a queue, which the impatient may leave.
--
-- A process signs the queue and waits until it is first in it. While others are before it,
-- it may give up.
--
-- Source: the queue goes back to L. Lamport's bakery, Comm. ACM 17, 1974; giving up to
-- M. L. Scott and W. N. Scherer, ACM Symp. Principles and Practice of Parallel
-- Programming, 2001.
--
-- expect: N=2 safe states=9 canon=5
-- expect: N=3 safe states=31 canon=7
-- expect: N=4 safe states=129 canon=9

const N: 2;

type PROC:  scalarset(N);
     COUNT: 0..N;
     QUEUE: record
       Who: array[0..N-1] of PROC;          -- defined below Len
       Len: COUNT;
     end;
     PHASE: enum {Outside, Waiting, Inside};

var State: array[PROC] of PHASE;
    Queue: QUEUE;

procedure Append(var q: QUEUE; p: PROC);
begin
  q.Who[q.Len] := p;
  q.Len := q.Len + 1;
end;

-- Takes p out of q and closes the gap.
procedure Remove(var q: QUEUE; p: PROC);
var i: COUNT;
begin
  i := 0;
  while q.Who[i] != p do i := i + 1; end;
  while i + 1 < q.Len do
    q.Who[i] := q.Who[i + 1];
    i := i + 1;
  end;
  undefine q.Who[i];
  q.Len := i;
end;

function IsIn(q: QUEUE; p: PROC): boolean;
begin
  for i: 0..N-1 do
    if i < q.Len & q.Who[i] = p then return true; end;
  end;
  return false;
end;

function IsFirst(q: QUEUE; p: PROC): boolean;
begin
  if q.Len = 0 then return false; end;
  return q.Who[0] = p;
end;

startstate "Init"
  for p: PROC do State[p] := Outside; end;
  undefine Queue;
  Queue.Len := 0;
end;

ruleset p: PROC do
  rule "Request" State[p] = Outside ==>
  begin
    State[p] := Waiting;
    Append(Queue, p);
  end;

  rule "Enter" State[p] = Waiting & IsFirst(Queue, p) ==>
  begin
    State[p] := Inside;
  end;

  rule "Give up" State[p] = Waiting & IsIn(Queue, p) & !IsFirst(Queue, p) ==>
  begin
    State[p] := Outside;
    Remove(Queue, p);
  end;

  rule "Leave" State[p] = Inside ==>
  begin
    State[p] := Outside;
    Remove(Queue, p);
  end;
end;

invariant "Mutex"
  forall p: PROC do forall q: PROC do
    p != q & State[p] = Inside -> State[q] != Inside
  end end;

-- It happens that everybody waits.
cover "Crowd"
  Queue.Len = N & forall p: PROC do State[p] = Waiting end;

-- Whatever has happened, each process can still get in.
ruleset p: PROC do
  liveness "Served" State[p] = Inside;
end;

-- Who waits gets in, or gives up.
--@ ltl served: forall p: PROC: G (State[p] = Waiting -> F State[p] != Waiting)
