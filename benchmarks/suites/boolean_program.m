-- N threads that run one Boolean program of V + 3 lines with V local variables, as a tool that abstracts software makes
-- them: G. Basler, M. Mazzucchi, T. Wahl, D. Kroening, "Symbolic counter abstraction for concurrent software" (CAV 2009). A
-- thread has (V + 3) * 2^V local states, of which at most K + 2 are taken at the same time.
--
--   line 0            enter, if fewer than K threads are inside
--   line 1 to V       give variable line - 1 any value
--   line V + 1        publish the conjunction of all variables, forget them, and leave
--   line V + 2        begin again
--
-- expect: N=3 safe states=6136 canon=1538

const N: 3; -- threads
      V: 7; -- variables
      K: 1; -- threads that may be inside

type THREAD: scalarset(N);
     LINE:   0..V+2;
     SLOT:   0..V-1;

var Line:   array[THREAD] of LINE;
    Value:  array[THREAD] of array[SLOT] of boolean;
    Inside: 0..K;
    Shared: boolean;

startstate
  for t: THREAD do
    Line[t] := 0;
    for i: SLOT do Value[t][i] := false; end;
  end;
  Inside := 0;
  Shared := false;
end;

ruleset t: THREAD do
  rule "enter" Line[t] = 0 & Inside < K ==>
    Inside := Inside + 1;
    Line[t] := 1;
  end;

  ruleset i: SLOT; b: boolean do
    rule "choose" Line[t] = i + 1 ==>
      Value[t][i] := b;
      Line[t] := Line[t] + 1;
    end;
  end;

  rule "leave" Line[t] = V + 1 ==>
    Shared := forall i: SLOT do Value[t][i] end;
    for i: SLOT do Value[t][i] := false; end;
    Inside := Inside - 1;
    Line[t] := Line[t] + 1;
  end;

  rule "again" Line[t] = V + 2 ==> Line[t] := 0; end;
end;

invariant "inside" forall t: THREAD do Line[t] > 0 & Line[t] <= V + 1 -> Inside > 0 end;
