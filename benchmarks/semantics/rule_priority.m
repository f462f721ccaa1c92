-- Of the rules that are enabled in a state, those with the least number as priority
-- fire; it is 0 where none is given. Only CMurphi has them.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- Rumur gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule 3 "low" begin if n = 1 then n := 3 else n := 2 end; end;
rule 1 "high" n = 0 ==> begin n := 1; end;
rule "highest" n = 3 ==> begin n := 0; end;
