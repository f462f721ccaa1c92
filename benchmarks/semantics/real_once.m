-- A call of a function with a real result runs its body once; its result is rounded, also if it uses no real variable.
-- cmurphi: safe states=4
-- rumur: safe states=4
-- options: engine=explicit
-- Rumur gives: rejected
type R: real(2, 20);
var n: 0..3; x: R;
function step(): R; begin n := (n + 1) % 4; return 0.5; end;
function third(i: 0..9): R; begin return i / 3.0; end;
startstate begin n := 0; x := 0.5; end;
rule begin x := step(); assert third(1) = 0.33 "rounded"; end;
