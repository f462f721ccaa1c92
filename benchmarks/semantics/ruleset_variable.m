-- The bounds of a ruleset are constants.
-- cmurphi: rejected "constant"
-- rumur: rejected "constant"
var n: 0..4;
startstate begin n := 0; end;
ruleset i: 0..n do rule begin n := i; end; end;
