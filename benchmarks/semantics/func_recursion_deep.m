-- A call that would be the 101st open one within the other is an error; the tools
-- crash some time later.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- CMurphi gives: safe states=2
-- Rumur gives: safe states=2
type T: 0..200; B: 0..1;
var b: B;
function f(x: T): T; begin if x = 0 then return 0 end; return f(x - 1); end;
startstate begin b := 0; end;
rule begin b := 1 - b + f(100); end;
