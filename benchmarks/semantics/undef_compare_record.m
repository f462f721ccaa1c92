-- In comparisons of whole records and arrays an undefined part equals an undefined
-- one and nothing else, as in Rumur.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type R: record x: 0..1; y: 0..1 end;
var r, q: R; n: 0..1;
startstate begin n := 0; undefine r; r.x := 1; q := r; end;
rule begin n := 1 - n; assert q = r "same"; q.y := 1; assert q != r "other"; undefine q.y; end;
