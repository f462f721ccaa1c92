-- One cannot calculate with values of a scalarset.
-- cmurphi: rejected "number"
-- rumur: rejected "number"
type S: scalarset(2);
var s: S; n: 0..2;
startstate begin n := 0; undefine s; end;
ruleset i: S do rule begin n := i + 1; end; end;
