-- Rumur evaluates the bounds of a loop once: what the body writes to the variables in them does
-- not matter. From a greater number to a less one there is no turn under CMurphi.
-- cmurphi: unsafe prop="down" depth=1
-- rumur: safe states=2
type N: 0..9;
var n: 0..1; sum: 0..99;
startstate begin n := 0; sum := 0; end;
rule var k: N; begin
  n := 1 - n;
  k := 2;
  for i := k to 0 do
    sum := sum + i;
    if i = 1 then undefine k else k := 5 end;
  end;
  assert sum = 3 "down";
  sum := 0;
end;
