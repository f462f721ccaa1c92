-- Two readers and a writer, process 3: Figure 1 of T. Wahl, "Adaptive symmetry reduction"
-- (CAV 2007), and Figure 10 of the survey of Wahl and Donaldson (Symmetry 2010).
--
-- expect: safe states=22

type PROC:  1..3;
     LOCAL: enum {N, T, C};

var State: array [PROC] of LOCAL;

startstate
  for p: PROC do State[p] := N; end;
end;

ruleset p: PROC do
  rule "Try" State[p] = N ==>
  begin
    State[p] := T;
  end;

  rule "Enter" State[p] = T & forall q: PROC do State[q] != C end ==>
  begin
    State[p] := C;
  end;

  rule "Read" State[p] = T & p < 3 & State[3] != C ==>
  begin
    State[p] := C;
  end;

  rule "Leave" State[p] = C ==>
  begin
    State[p] := N;
  end;
end;

invariant "WriterAlone" State[3] = C -> forall p: PROC do p = 3 | State[p] != C end;
