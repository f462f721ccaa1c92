-- Numbers have 64 bits, and a result that does not fit is an error; bounded model
-- checking takes no numbers that might have more than 62. CMurphi has 32 bits and wraps.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- cmurphi: unsafe prop="huge" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="huge" depth=1
-- CMurphi gives: unsafe prop="big" depth=1
-- options: engine=explicit
const Big: 1000000000;
var n: -1..2;
startstate begin n := 1; end;
rule begin
  assert n * Big * 5 > Big "big";
  n := n + 1;
  assert n < 2 | n * Big * Big * 5 > 0 "huge";
  n := n * n * 0 + n;
end;
