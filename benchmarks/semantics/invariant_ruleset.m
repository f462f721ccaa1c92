-- An invariant in a ruleset must hold for all values.
-- cmurphi: unsafe prop="apart" depth=2
-- rumur: unsafe prop="apart" depth=2
type S: scalarset(2);
var a: array[S] of boolean;
startstate begin for i: S do a[i] := false; end; end;
ruleset i: S do rule !a[i] ==> begin a[i] := true; end; end;
rule begin for i: S do a[i] := false; end; end;
ruleset i: S; j: S do invariant "apart" !a[i] | !a[j] | i = j; end;
