-- isundefined reads no value; an index in it is evaluated.
-- cmurphi: unsafe prop="runtime-error" depth=2
-- cmurphi: unsafe prop="too far" depth=2
-- rumur: unsafe prop="runtime-error" depth=2
-- rumur: unsafe prop="too far" depth=2
var n: 0..2; a: array[0..1] of boolean;
startstate begin n := 0; undefine a; end;
rule begin assert isundefined(a[n]) "undefined"; n := n + 1; assert isundefined(a[n]) "too far"; end;
