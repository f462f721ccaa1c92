-- A field or an element of an enum or a scalarset is copied undefined by CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type E: enum {A, B}; S: scalarset(2);
var k: 0..1; e: E; s: S; a: array[0..1] of E; r: record s: S end;
startstate begin k := 0; e := A; end;
rule begin k := 1 - k; e := a[0]; s := r.s; assert isundefined(e) & isundefined(s) "copied"; e := A; end;
