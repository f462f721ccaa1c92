-- traceuntil is not known.
-- cmurphi: rejected "traceuntil"
-- rumur: rejected "traceuntil"
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; traceuntil n = 1; end;
