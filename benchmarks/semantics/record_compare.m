-- = and != compare records and arrays as a whole, as in Rumur.
-- cmurphi: safe states=4
-- rumur: safe states=4
-- CMurphi gives: rejected
type T: 0..1; R: record x: T; y: T end;
var q, r: R;
startstate begin q.x := 0; q.y := 1; r := q; end;
rule "change" begin q.x := 1 - q.x; end;
rule "copy" q != r ==> begin r := q; assert r = q "equal"; end;
rule "keep" q = r ==> begin r := q; end;
