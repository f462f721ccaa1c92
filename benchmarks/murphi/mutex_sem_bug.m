-- Mutual exclusion by a semaphore that is not atomic.
--
-- The story: P was split into a test of the semaphore and the taking of it, so two
-- processes can both find it free before either takes it.
--
-- Source: mutex_sem.m, which says how it is meant to work.
--
-- expect: N=2 unsafe prop="Mutex" depth=6
-- expect: N=3 unsafe prop="Mutex" depth=6

const N: 2;

type PROC:  scalarset(N);
     PHASE: enum {Noncritical, Trying, Passed, Critical};

var State: array[PROC] of PHASE;
    Free:  boolean;                  -- the semaphore

startstate "Init"
  for p: PROC do State[p] := Noncritical; end;
  Free := true;
end;

ruleset p: PROC do
  rule "Try" State[p] = Noncritical ==>
  begin
    State[p] := Trying;
  end;

  -- bug: P in two steps
  rule "P, test" State[p] = Trying & Free ==>
  begin
    State[p] := Passed;
  end;

  rule "P, take" State[p] = Passed ==>
  begin
    Free := false;
    State[p] := Critical;
  end;

  rule "V" State[p] = Critical ==>
  begin
    Free := true;
    State[p] := Noncritical;
  end;
end;

invariant "Mutex"
  forall p: PROC do forall q: PROC do
    p != q & State[p] = Critical -> State[q] != Critical
  end end;
