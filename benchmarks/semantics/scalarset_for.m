-- A for loop over a scalarset is taken; whether its order matters is found out.
-- cmurphi: safe states=4 canon=3
-- rumur: safe states=4 canon=3
type S: scalarset(2);
var a: array[S] of boolean;
startstate begin for i: S do a[i] := false; end; end;
ruleset i: S do rule begin a[i] := !a[i]; end; end;
