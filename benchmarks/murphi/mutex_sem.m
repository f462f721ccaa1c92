-- Mutual exclusion by a binary semaphore.
--
-- Each process cycles through N (non-critical), T (trying) and C (critical). The
-- semaphore bit is tested and taken in one step.
--
-- Source: E. W. Dijkstra, "Cooperating sequential processes", 1965; the N-T-C form is
-- the running example of E. A. Emerson and A. P. Sistla, "Symmetry and model checking",
-- 1996.
--
-- expect: N=2 safe states=8 canon=5
-- expect: N=3 safe states=20 canon=7
-- expect: N=8 safe states=1280 canon=17

const N: 2;

type PROC:  scalarset(N);
     PHASE: enum {Noncritical, Trying, Critical};

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

  rule "P" State[p] = Trying & Free ==>
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

-- Who tries gets in. The semaphore is not fair: weak fairness is not enough.
--@ ltl served: forall p: PROC: G (State[p] = Trying -> F State[p] = Critical)
