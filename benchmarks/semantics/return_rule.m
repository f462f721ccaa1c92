-- return leaves a rule or a start state.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
rule begin n := 1 - n; for i: 0..1 do if i = 1 then return; end; end; error "end"; end;
startstate begin n := 0; return; n := 1; end;
