-- Values of a scalarset are compared with = and != only, and index arrays.
-- cmurphi: safe states=24 canon=6
-- rumur: safe states=24 canon=6
type S: scalarset(3);
var s: S; a: array[S] of boolean;
ruleset i: S do
  startstate begin s := i; for j: S do a[j] := j = s; end; end;
  rule i != s ==> begin s := i; end;
  rule i = s ==> begin a[s] := !a[s]; end;
end;
