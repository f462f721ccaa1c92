-- The word undefined is an argument, as in CMurphi.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- Rumur gives: rejected
type T: 0..1;
var n: T;
procedure p(x: T); begin assert isundefined(x) "undefined"; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(undefined); end;
