-- Readers and writers: a counter of the readers keeps writers out.
--
-- A reader counts itself in and out. A writer goes in if nobody is counted, and nobody
-- else goes in until it leaves. The property does not mention the counter, so a proof has
-- to relate it to the number of processes that read.
--
-- Source: P.-J. Courtois, F. Heymans and D. L. Parnas, "Concurrent control with readers
-- and writers", CACM 1971.
--
-- expect: N=2 safe states=6 canon=4
-- expect: N=3 safe states=11 canon=5
-- expect: N=4 safe states=20 canon=6

const N: 3;

type PROC:  scalarset(N);
     PHASE: enum {Idle, Reading, Writing};

var State:   array[PROC] of PHASE;
    Readers: 0..N;
    Writer:  boolean;              -- somebody writes

startstate "Init"
  for p: PROC do State[p] := Idle; end;
  Readers := 0;
  Writer := false;
end;

ruleset p: PROC do
  rule "Read" State[p] = Idle & !Writer ==>
  begin
    State[p] := Reading;
    Readers := Readers + 1;
  end;

  rule "EndRead" State[p] = Reading ==>
  begin
    State[p] := Idle;
    Readers := Readers - 1;
  end;

  rule "Write" State[p] = Idle & Readers = 0 & !Writer ==>
  begin
    State[p] := Writing;
    Writer := true;
  end;

  rule "EndWrite" State[p] = Writing ==>
  begin
    State[p] := Idle;
    Writer := false;
  end;
end;

invariant "WriterAlone"
  forall p: PROC do forall q: PROC do
    p != q & State[p] = Writing -> State[q] = Idle
  end end;
