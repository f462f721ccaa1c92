-- forall and exists evaluate every value up to the one that decides.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="forall" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="forall" depth=1
var n: 0..1; a: array[0..2] of boolean;
startstate begin n := 0; a[0] := true; a[2] := false; end;
rule begin n := 1 - n; assert !forall i: 0..2 do a[i] end "forall"; end;
