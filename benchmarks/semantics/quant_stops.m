-- forall and exists stop at the first value that decides.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; a: array[0..2] of boolean;
startstate begin n := 0; a[0] := true; a[1] := false; end;
rule begin
  n := 1 - n;
  assert exists i: 0..2 do a[i] end "exists";
  assert !forall i: 0..2 do a[i] end "forall";
end;
