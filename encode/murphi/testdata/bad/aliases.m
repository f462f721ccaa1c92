-- Aliases.
type E : enum { A }; R : record n : 0..1; end;
var n : 0..3; a : array [0..3] of 0..3; r : R;
function F() : R; begin return r; end;
procedure P(var x : 0..3); begin end;
startstate
  alias x : E; y : z; do n := x; y := 1; end; -- ERROR 13 "E is a type" -- ERROR 20 "z is not declared"
  alias k : 3; m : A do k := 1; P(m); end; -- ERROR 25 "k is a constant and cannot be assigned" -- ERROR 35 "m is a constant and cannot be passed to a var parameter"
  alias v : n + 1; f : F() do v := 1; f.n := 1; undefine f; clear v; P(v); end; -- ERROR 31 "v is an alias for a value and cannot be assigned" -- ERROR 39 "f is an alias for a value and cannot be assigned" -- ERROR 58 "f is an alias for a value and cannot be undefined" -- ERROR 67 "v is an alias for a value and cannot be cleared" -- ERROR 72 "v is an alias for a value and cannot be passed to a var parameter"
  for i : 0..3 do alias j : i do j := 1; end end; -- ERROR 34 "i is a bound variable and cannot be assigned"
  alias x : n do end; x := 1; -- ERROR 23 "x is not declared"
  alias x : n do n := x.f; n := x(1); end; -- ERROR 24 "type 0..3 has no fields" -- ERROR 33 "x is not a procedure or function"
end;
alias x : n; y : x + z do invariant x = y; end; -- ERROR 22 "z is not declared"
alias v : n + 1 do rule v := 1; end; end; -- ERROR 25 "v is an alias for a value and cannot be assigned"
invariant v = 1; -- ERROR 11 "v is not declared"
