-- Numbers are no values of a scalarset.
-- cmurphi: rejected "S"
-- rumur: rejected "S"
type S: scalarset(2);
var s: S;
startstate begin s := 1; end;
rule begin s := s; end;
