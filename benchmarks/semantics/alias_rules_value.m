-- An alias of an expression around rules keeps its value in the body.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
alias one: 1; next: one - n do
  rule begin n := next; assert next = n "old"; end;
end;
