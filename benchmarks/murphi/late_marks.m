-- A violation that takes six different processes.
--
-- Five marks are given to different processes. If all are given, one more process may
-- come too late. With five processes or fewer there is none. Lemmas of few processes
-- prove all sizes up to five, and no larger one.
--
-- expect: N=3 safe states=16 canon=4
-- expect: N=5 safe states=326 canon=6
-- expect: N=6 unsafe prop="NotLate" depth=6

const N: 3;

type PROC: scalarset(N);
     MARK: 1..5;

var Holder: array[MARK] of PROC;    -- undefined if the mark is not given
    Given:  0..5;
    Late:   boolean;

startstate "Init"
  undefine Holder;
  Given := 0;
  Late := false;
end;

ruleset p: PROC do
  rule "Give" Given < 5 & forall m: MARK do isundefined(Holder[m]) | Holder[m] != p end ==>
  begin
    Holder[Given + 1] := p;
    Given := Given + 1;
  end;

  rule "Come late" Given = 5 & forall m: MARK do isundefined(Holder[m]) | Holder[m] != p end ==>
  begin
    Late := true;
  end;
end;

rule "Take back all" Given > 0 ==>
begin
  undefine Holder;
  Given := 0;
end;

invariant "NotLate" !Late;
