-- A ruleset takes numbers from one to another, in steps; CMurphi and Rumur read this
-- and fail.
-- cmurphi: safe states=3
-- rumur: safe states=3
-- CMurphi gives: rejected
-- Rumur gives: rejected
var n: 0..4;
startstate begin n := 0; end;
ruleset i := 0 to 4 by 2 do rule begin n := i; end; end;
