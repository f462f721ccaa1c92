-- A function may return a probability. It is exact, also where it calls another one: the last two rules never fire.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
-- Rumur gives: rejected
type Prob: real(4, 99);
var n: 0..3;
function third(): Prob; begin if n = 3 then return 0.0; else return 1.0 / 3; end; end;
function rest(): Prob; begin return 1 - 2 * third(); end;
startstate begin n := 0; end;
rule third() ==> begin n := 1 - n; end;
rule 2 * third() ==> begin n := 0; end;
rule 1 - 3 * third() ==> begin n := 2; end;
rule third() - rest() ==> begin n := 2; end;
