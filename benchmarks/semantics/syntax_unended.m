-- Every rule has its end.
-- cmurphi: rejected "end"
-- rumur: rejected "end"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n;
