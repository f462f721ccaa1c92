-- An array is indexed by a simple type, not by a record.
-- cmurphi: rejected "index"
-- rumur: rejected "index"
type R: record x: 0..1 end;
var a: array[R] of boolean; n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
