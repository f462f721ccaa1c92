-- A guard that changes the state is refused. CMurphi and Rumur keep the change, each
-- in its own way.
-- cmurphi: rejected "change"
-- rumur: rejected "change"
-- CMurphi gives: safe states=2
-- Rumur gives: safe states=2
-- options: deadlock=off
type T: 0..1;
var n: T;
function flip(): boolean; begin n := 1 - n; return n = 1; end;
startstate begin n := 0; end;
rule flip() ==> begin end;
