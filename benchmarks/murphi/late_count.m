-- A violation that takes six steps of different processes, as they are counted.
--
-- Each process counts itself once. Nothing in the model depends on how many there are,
-- but the count gets to six only where there are six.
--
-- expect: N=3 safe states=8 canon=4
-- expect: N=5 safe states=32 canon=6
-- expect: N=6 unsafe prop="Few" depth=6

const N: 3;

type PROC: scalarset(N);

var Counted: array[PROC] of boolean;
    Count:   0..6;

startstate "Init"
  for p: PROC do Counted[p] := false; end;
  Count := 0;
end;

ruleset p: PROC do
  rule "Count" !Counted[p] & Count < 6 ==>
  begin
    Counted[p] := true;
    Count := Count + 1;
  end;
end;

rule "Begin anew" Count > 0 ==>
begin
  for p: PROC do Counted[p] := false; end;
  Count := 0;
end;

invariant "Few" Count < 6;
