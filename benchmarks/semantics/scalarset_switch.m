-- A case of a switch may be a parameter of a scalarset, as in Rumur.
-- cmurphi: safe states=2 canon=1
-- rumur: safe states=2 canon=1
-- CMurphi gives: rejected
type S: scalarset(2);
var s: S;
ruleset i: S do startstate begin s := i; end; end;
ruleset i: S do rule begin switch s case i: s := s; else s := i; end; end; end;
