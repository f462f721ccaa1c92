-- while runs its body as long as the condition holds.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; k: 0..9;
startstate begin n := 0; k := 0; end;
rule begin n := 1 - n; while k < 5 & k < 8 do k := k + 2 end; assert k = 6 "six"; k := 0; end;
