-- Readers and writer: a reader that overlooks the writer inside.
--
-- The story: a reader is to enter only while the writer is non-critical. The guard was
-- written "the writer is not trying", which the writer also satisfies from inside.
--
-- Source: readers_writers.m, which says how it is meant to work.
--
-- expect: N=3 unsafe prop="WriterAlone" depth=4
-- expect: N=4 unsafe prop="WriterAlone" depth=4

const N: 3;

type PROC:  1..N;
     PHASE: enum {Noncritical, Trying, Critical};

var State: array[PROC] of PHASE;

startstate "Init"
  for p: PROC do State[p] := Noncritical; end;
end;

ruleset p: PROC do
  rule "Try" State[p] = Noncritical ==>
  begin
    State[p] := Trying;
  end;

  -- bug: State[N] = Noncritical
  rule "Read" p != N & State[p] = Trying & State[N] != Trying ==>
  begin
    State[p] := Critical;
  end;

  rule "Leave" State[p] = Critical ==>
  begin
    State[p] := Noncritical;
  end;
end;

rule "Write" State[N] = Trying & forall q: PROC do State[q] != Critical end ==>
begin
  State[N] := Critical;
end;

invariant "WriterAlone"
  State[N] = Critical -> forall q: PROC do q != N -> State[q] != Critical end;
