-- An operation of integers alone is one, also within a real expression.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(5, 10); n: 0..9;
startstate begin n := 7; x := 0; end;
rule n = 7 ==> begin x := n / 2 + 0.5; assert x = 3.5 "integers"; x := 0.5 + n / 2.0; assert x = 4.0 "real"; n := 0; end;
rule n = 0 ==> begin n := 7; x := 0; end;
