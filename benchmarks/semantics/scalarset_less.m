-- Values of a scalarset have no order.
-- cmurphi: rejected "<"
-- rumur: rejected "<"
type S: scalarset(2);
var s: S;
ruleset i: S do startstate begin s := i; end; end;
ruleset i: S do rule i < s ==> begin s := i; end; end;
