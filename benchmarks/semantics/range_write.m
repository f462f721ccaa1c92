-- Writing a value outside the range of a variable is an error.
-- cmurphi: unsafe prop="runtime-error" depth=3
-- rumur: unsafe prop="runtime-error" depth=3
var n: 0..2;
startstate begin n := 0; end;
rule begin n := n + 1; end;
