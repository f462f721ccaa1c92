-- A procedure is declared before it is called.
-- cmurphi: rejected "not declared"
-- rumur: rejected "not declared"
var n: 0..1;
procedure p(); begin q(); end;
procedure q(); begin n := 1 - n; end;
startstate begin n := 0; end;
rule begin p(); end;
