-- put prints texts, variables of any type and values.
-- cmurphi: safe states=2
-- rumur: safe states=2
type E: enum {A, B}; S: scalarset(2);
var n: 0..1; r: record e: E; a: array[S] of boolean end;
startstate begin n := 0; undefine r; r.e := B; end;
rule begin put "text\n"; put n; put r; put r.e; put n + 1; put n = 0; put r.e = A; n := 1 - n; end;
