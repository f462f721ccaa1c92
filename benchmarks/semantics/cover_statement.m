-- A cover statement is hit if its condition holds when it is run.
-- cmurphi: unsafe prop="never"
-- rumur: unsafe prop="never"
-- CMurphi gives: rejected
var n: 0..3;
startstate begin n := 0; cover "start" n = 0; end;
rule begin n := 1 - n; cover "one" n = 1; if n = 2 then cover "never" true end; end;
