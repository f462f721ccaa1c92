-- A result outside the result type is an error under CMurphi. Rumur looks where the
-- result goes.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="seven" depth=1
-- rumur: safe states=2
type T: 0..1;
var n: T;
function f(x: T): T; begin return x + 6; end;
startstate begin n := 0; end;
rule begin assert f(n) = n + 6 "seven"; n := 1 - n; end;
