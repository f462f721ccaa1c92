-- Records are passed by reference as well under CMurphi.
-- cmurphi: unsafe prop="copy" depth=1
-- rumur: safe states=2
type T: 0..1; R: record x: T end;
var r: R;
procedure p(q: R); begin r.x := 1 - r.x; assert q.x != r.x "copy"; end;
startstate begin r.x := 0; end;
rule begin p(r); end;
