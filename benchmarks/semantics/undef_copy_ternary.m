-- A value that ?: chooses is read, of whatever type, where it is a number.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n: 0..1; x, y: 0..3;
startstate begin n := 0; end;
rule begin n := 1 - n; x := n < 2 ? y : y; end;
