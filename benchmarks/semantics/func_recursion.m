-- A function may call itself.
-- cmurphi: safe states=6
-- rumur: safe states=6
type T: 0..5; U: 0..99;
var n: T; sum: U;
function f(x: T): U; begin if x = 0 then return 0 end; return x + f(x - 1); end;
startstate begin n := 0; sum := 0; end;
rule begin n := (n + 1) % 6; sum := f(n); assert 2 * sum = n * (n + 1) "sum"; end;
