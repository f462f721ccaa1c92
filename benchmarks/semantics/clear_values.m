-- clear gives each part the least value of its type and empties multisets.
-- cmurphi: safe states=2
-- rumur: safe states=2
type E: enum {A, B}; R: record x: 3..7; e: E; b: array[0..1] of boolean end;
var n: 0..1; r: R;
startstate begin n := 0; clear r; end;
rule begin n := 1 - n; r.x := 7; r.e := B; r.b[0] := true; undefine r.b[1]; clear r; assert r.x = 3 & r.e = A & !r.b[0] & !r.b[1] "least"; end;
