-- A loop from a greater constant to a less one, without a step, is refused by Rumur.
-- cmurphi: safe states=2
-- rumur: rejected "wrong way"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; for i := 2 to 1 do error "turn" end; end;
