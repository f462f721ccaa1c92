-- Records that hold multisets are not compared.
type R : record n : array [0..1] of multiset [2] of 0..3; end;
var r : R; b : boolean;
startstate
  b := r = r; -- ERROR 10 "types R and R cannot be compared"
end;
