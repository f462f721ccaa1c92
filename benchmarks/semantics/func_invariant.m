-- An invariant that changes the state is refused.
-- cmurphi: rejected "change"
-- rumur: rejected "change"
-- CMurphi gives: safe states=1
-- Rumur gives: safe states=2
-- options: deadlock=off
type T: 0..1;
var n: T;
function flip(): boolean; begin n := 1 - n; return true; end;
startstate begin n := 0; end;
rule begin end;
invariant flip();
