-- A cover in a ruleset is hit if it holds for any value.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
ruleset i: 1..3 do cover "some" n = i; end;
