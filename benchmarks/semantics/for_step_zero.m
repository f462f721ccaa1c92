-- A step of 0 is refused.
-- cmurphi: rejected "zero"
-- rumur: rejected "zero"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; for i := 0 to 1 by 0 do n := i end; end;
