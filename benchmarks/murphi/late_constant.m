-- A violation at sizes from seven on, by the value of a constant.
--
-- The number of processes is compared with a number. A proof for few processes says
-- nothing of more.
--
-- expect: N=3 safe states=8 canon=4
-- expect: N=6 safe states=64 canon=7
-- expect: N=7 unsafe prop="Small" depth=1

const N: 3;

type PROC: scalarset(N);

var Busy: array[PROC] of boolean;
    Many: boolean;

startstate "Init"
  for p: PROC do Busy[p] := false; end;
  Many := false;
end;

ruleset p: PROC do
  rule "Turn" true ==>
  begin
    Busy[p] := !Busy[p];
    if N >= 7 then Many := true; end;
  end;
end;

invariant "Small" !Many;
