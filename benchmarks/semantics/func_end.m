-- A function that ends without return is an error.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
type T: 0..1;
var n: T;
function f(x: T): T; begin if x = 0 then return 1 end; end;
startstate begin n := 0; end;
rule begin n := f(n); end;
