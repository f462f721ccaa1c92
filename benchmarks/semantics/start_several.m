-- Start states that are equal are one state.
-- cmurphi: safe states=3
-- rumur: safe states=3
var n: 0..3;
startstate "a" begin n := 0; end;
startstate "b" begin n := 0; end;
ruleset i: 0..1 do startstate begin n := i; end; end;
rule begin n := (n + 1) % 3; end;
