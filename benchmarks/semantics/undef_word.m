-- x := undefined is undefine x, as in CMurphi.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
var n: 0..1;
startstate begin n := 0; end;
rule begin if isundefined(n) then n := 0 else n := undefined end; end;
