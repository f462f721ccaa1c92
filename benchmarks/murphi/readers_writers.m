-- Readers and writer: nearly symmetric, on a subrange.
--
-- Processes 1 .. N-1 read, process N writes. Readers share the critical section, the
-- writer has it alone. A reader yields to a writer that is trying; the writer waits
-- only for those inside. This one asymmetric edge leaves the readers interchangeable.
-- With N = 3 (two readers) all 27 valuations but the five that put the writer and a
-- reader inside together are reachable: 22.
--
-- Source: P.-J. Courtois, F. Heymans and D. L. Parnas, "Concurrent control with readers
-- and writers", CACM 1971; as an example of near symmetry in E. A. Emerson and
-- R. J. Trefler, "From asymmetry to full symmetry", CHARME 1999.
--
-- expect: N=3 safe states=22
-- expect: N=4 safe states=62
-- expect: N=6 safe states=518

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

  rule "Read" p != N & State[p] = Trying & State[N] = Noncritical ==>
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
