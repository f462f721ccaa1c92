-- A counting semaphore that gains permits.
--
-- The story: a process that gives up takes the same way out as one that leaves, and so
-- returns a permit it never had. The counter saturates at K, which hides the mistake
-- while all permits are there: some process must be inside, another give up, and K more
-- get in. The shortest violation takes K + 1 entries, so its depth grows with N.
--
-- Source: sem_counter.m, which says how it is meant to work.
--
-- expect: N=2 unsafe prop="AtMostK" depth=6
-- expect: N=3 unsafe prop="AtMostK" depth=6
-- expect: N=4 unsafe prop="AtMostK" depth=8
-- expect: N=6 unsafe prop="AtMostK" depth=10
-- expect: N=8 unsafe prop="AtMostK" depth=12

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
    if Free < K then Free := Free + 1; end;    -- bug: no permit was taken
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
    if Free < K then Free := Free + 1; end;
    State[p] := Noncritical;
  end;
end;
