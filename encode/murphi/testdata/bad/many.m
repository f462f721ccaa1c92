-- No more than 20 errors are reported.
startstate
  a := 1; -- ERROR 3 "a is not declared"
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 ""
  a := 1; -- ERROR 3 "not declared" -- ERROR 3 "stopped after 20 errors"
  a := 1;
end;
