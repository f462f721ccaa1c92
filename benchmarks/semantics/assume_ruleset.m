-- An assumption in a ruleset is about all values.
-- cmurphi: safe states=3 canon=2
-- rumur: safe states=3 canon=2
-- CMurphi gives: rejected
type S: scalarset(2);
var a: array[S] of boolean;
startstate begin for i: S do a[i] := false; end; end;
ruleset i: S do rule begin a[i] := !a[i]; end; end;
ruleset i: S; j: S do assume i = j | !a[i] | !a[j]; end;
