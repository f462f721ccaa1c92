-- Operands and arguments are evaluated from left to right. CMurphi's and Rumur's
-- checkers leave it to the C compiler, which begins with the last argument or operand.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: unsafe prop="arguments" depth=1
-- Rumur gives: unsafe prop="operands" depth=1
type T: 0..1; U: 0..9;
var n: T; k: U;
function f(x: U): U; begin k := (k * 2 + x) % 8; return k; end;
function g(x, y: U): U; begin return y; end;
startstate begin n := 0; k := 0; end;
rule begin
  n := 1 - n;
  k := 0; assert g(f(1), f(2)) = 4 "arguments";
  k := 0; assert f(1) + 10 * f(2) = 41 "operands";
  k := 0;
end;
