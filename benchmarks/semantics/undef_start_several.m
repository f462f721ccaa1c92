-- A start state that errs leaves the others.
-- cmurphi: unsafe prop="runtime-error" depth=0
-- rumur: unsafe prop="runtime-error" depth=0
var n, u: 0..1;
ruleset i: 0..1 do startstate begin n := i = 0 ? 0 : u + 0; end; end;
rule begin n := 1 - n; end;
