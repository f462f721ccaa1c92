-- Two quantifiers, one within the other, stop altogether.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; a: array[0..1] of array[0..1] of boolean;
startstate begin n := 0; a[0][0] := true; end;
rule begin n := 1 - n; assert exists i: 0..1 do exists j: 0..1 do a[i][j] end end "found"; end;
