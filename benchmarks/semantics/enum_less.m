-- The members of an enum have no order.
-- cmurphi: rejected "<"
-- rumur: rejected "<"
type E: enum {Red, Green};
var e: E;
startstate begin e := Red; end;
rule begin if e < Green then e := Green else e := Red end; end;
