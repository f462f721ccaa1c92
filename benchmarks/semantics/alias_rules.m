-- An alias around rules is found anew for every guard and every body.
-- cmurphi: safe states=4
-- rumur: safe states=4
var n: 0..1; a: array[0..1] of 0..1;
startstate begin n := 0; a[0] := 0; a[1] := 0; end;
alias x: a[n]; y: a[1 - n] do
  rule "set" x = y ==> begin n := 1 - n; assert x = a[1 - n] "old"; x := 1 - x; end;
  rule "reset" x != y ==> begin x := 0; y := 0; end;
  invariant "sum" x + y < 2 & x + y = a[0] + a[1];
end;
