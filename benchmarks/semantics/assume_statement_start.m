-- A start state in which an assume statement fails is none.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..3;
ruleset i: 0..3 do startstate begin n := i; assume i > 1; end; end;
rule begin n := 5 - n; end;
