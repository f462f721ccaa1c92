-- An undefined variable in the expression is an error where the alias begins.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; alias x: u + 1 do n := n; end; end;
