-- An alias of a constant is a constant.
-- cmurphi: safe states=4
-- rumur: safe states=4
var n, k: 0..1;
startstate begin n := 0; k := 0; end;
alias top: 1 do ruleset i: 0..top do rule begin n := i; end; rule begin k := 1 - n; end; end; end;
