-- A quantifier takes numbers from one to another, in steps.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
rule begin
  n := 1 - n;
  assert forall i := 0 to 2 * n by 2 do i % 2 = 0 end "even";
  assert !exists i := 4 to 0 by -2 do i = 3 end "three";
end;
