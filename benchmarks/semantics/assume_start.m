-- A start state that violates an assumption is none.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..3;
ruleset i: 0..3 do startstate begin n := i; end; end;
rule begin n := (n + 2) % 4; end;
assume n % 2 = 1;
