-- A comma may follow the last member of an enum, as in Rumur.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type E: enum {Red, Green,};
var e: E;
startstate begin e := Red; end;
rule begin e := e = Red ? Green : Red; end;
