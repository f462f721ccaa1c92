-- The parameters of a procedure are separated by semicolons.
-- cmurphi: rejected "','"
-- rumur: rejected "','"
var n: 0..1;
procedure p(x: 0..1, y: 0..1); begin n := x; end;
startstate begin n := 0; end;
rule begin p(1 - n, n); end;
