-- A step away from the upper bound is no turn under CMurphi, and an error under Rumur.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; k: -1..9;
startstate begin n := 0; k := 3; end;
rule begin n := 1 - n; for i := k to 9 by -1 do error "turn" end; end;
