var n : 0..3;
startstate
  n := n & 1; -- ERROR 10 "bit operators are not supported yet"
  n := 1 | 2 | 3; -- ERROR 10 "bit operators are not supported yet"
end;
