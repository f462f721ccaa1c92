-- A procedure is no function: it has no value.
-- cmurphi: rejected "no value"
-- rumur: rejected "no value"
var n: 0..1;
procedure p(); begin n := 1 - n; end;
startstate begin n := 0; end;
rule begin n := p(); end;
