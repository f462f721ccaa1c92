-- Later aliases of a list see earlier ones, and hide other names.
-- cmurphi: safe states=2
-- rumur: safe states=2
type R: record p: 0..1; q: array[0..1] of 0..1 end;
var n: 0..1; r: R;
startstate begin n := 0; clear r; end;
rule begin n := 1 - n; alias q: r.q; p: q[n]; n: p do n := 1; end; assert r.q[n] = 1 "set"; clear r; end;
