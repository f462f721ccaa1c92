-- An alias of a variable is that variable: its place is found once, at the start.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; a: array[0..1] of 0..5;
startstate begin n := 0; a[0] := 0; a[1] := 0; end;
rule begin
  alias x: a[n] do n := 1 - n; x := 5; assert a[1 - n] = 5 & a[n] = 0 "old place"; x := 0; end;
end;
