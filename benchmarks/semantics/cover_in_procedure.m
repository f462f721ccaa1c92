-- A cover statement in a procedure is hit where a rule calls it.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..1;
var n: T;
procedure set(x: T); begin n := x; cover "one" n = 1; end;
startstate begin n := 0; end;
rule begin set(1 - n); end;
