-- liveness is no statement.
-- cmurphi: rejected "liveness"
-- rumur: rejected "liveness"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; liveness "one" n = 1; end;
