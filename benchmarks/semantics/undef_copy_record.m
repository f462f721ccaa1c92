-- Copying a record or an array carries undefined parts along in both.
-- cmurphi: safe states=2
-- rumur: safe states=2
type R: record x: 0..1; b: array[0..1] of boolean end;
var r, q: R; n: 0..1;
startstate begin n := 0; undefine r; r.x := 1; q := r; end;
rule begin n := 1 - n; q := r; assert q.x = 1 & isundefined(q.b[1]) "copied"; end;
