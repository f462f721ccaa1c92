-- The booleans have no order.
-- cmurphi: rejected "<"
-- rumur: rejected "<"
var b: boolean;
startstate begin b := false; end;
rule begin b := b < true; end;
