-- A counting semaphore: K of N processes may be inside.
--
-- A process waits until a permit is free, takes it, and gives it back when it leaves;
-- tired of waiting, it may also give up. Free counts the permits left. The property
-- does not mention Free: it counts the processes inside, so a proof has to relate the
-- counter to that number.
--
-- Source: E. W. Dijkstra, "Cooperating sequential processes", 1965.
--
-- expect: N=2 safe states=8 canon=5
-- expect: N=3 safe states=20 canon=7
-- expect: N=4 safe states=72 canon=12
-- expect: N=8 safe states=5984 canon=35

const N: 4;
      K: N / 2;      -- permits

type PROC:  scalarset(N);
     PHASE: enum {Noncritical, Trying, Critical};

var State: array[PROC] of PHASE;
    Free:  0..K;

startstate "Init"
  for p: PROC do State[p] := Noncritical; end;
  Free := K;
end;

ruleset p: PROC do
  rule "Try" State[p] = Noncritical ==>
  begin
    State[p] := Trying;
  end;

  rule "GiveUp" State[p] = Trying ==>
  begin
    State[p] := Noncritical;
  end;

  rule "P" State[p] = Trying & Free > 0 ==>
  var inside: 0..N;
  begin
    Free := Free - 1;
    State[p] := Critical;

    inside := 0;
    for q: PROC do
      if State[q] = Critical then inside := inside + 1; end;
    end;
    assert inside <= K "AtMostK";
  end;

  rule "V" State[p] = Critical ==>
  begin
    Free := Free + 1;
    State[p] := Noncritical;
  end;
end;
