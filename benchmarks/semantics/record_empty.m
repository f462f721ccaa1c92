-- A record has a field.
-- cmurphi: rejected "record"
-- rumur: rejected "record"
-- Rumur gives: safe states=2
type R: record end;
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
