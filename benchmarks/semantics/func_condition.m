-- A function that changes the state may be called in a condition of a body, and
-- changes it where it is called, left to right.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n, k: T;
function flip(): boolean; begin n := 1 - n; return n = 1; end;
startstate begin n := 0; k := 0; end;
rule begin
  k := n;
  if flip() = (k = 0) then k := n end;
  assert k = n "changed";
  if k = 2 & flip() then k := 0 end;
  assert k = n "not called";
  k := 0;
end;
