-- return leaves the procedure from within a loop in a case in an alias.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T;
procedure p(var x: T); begin
  alias y: x do
    switch y case 0: while true do for i: T do y := 1; return; end; end; case 1: y := 0; return; end;
  end;
  error "end";
end;
startstate begin n := 0; end;
rule var m: T; begin m := n; p(n); assert n = 1 - m "flipped"; end;
