-- Variables are undefined until they are assigned, and again after undefine.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; a: array[0..1] of boolean;
startstate begin end;
rule isundefined(n) ==> begin n := 0; a[0] := true; end;
rule !isundefined(n) ==> begin assert !isundefined(a[0]) & isundefined(a[1]) "part"; undefine a; undefine n; end;
