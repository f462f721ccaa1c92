-- More on multisets: syntax.
type R : record n : array [0..1] of multiset [2] of 0..3; end;
var r : R; b : boolean;
startstate
  multisetadd(1, r.n[0], 2); -- ERROR 24 "expected .[)]., found ','"
  r.n := multisetcount(i, true); -- ERROR 25 "expected ':', found ','"
end;
