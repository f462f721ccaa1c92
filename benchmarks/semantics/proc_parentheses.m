-- Parentheses are needed in a declaration and in a call, also with nothing between.
-- cmurphi: rejected ":="
-- rumur: rejected ":="
var n: 0..1;
procedure p(); begin n := 1 - n; end;
startstate begin n := 0; end;
rule begin p; end;
