-- isundefined takes one simple part of the state, no record.
-- cmurphi: rejected "simple"
-- rumur: rejected "simple"
type R: record x: 0..1 end;
var n: 0..1; r: R;
startstate begin n := 0; undefine r; end;
rule begin n := 1 - n; if isundefined(r) then n := n end; end;
