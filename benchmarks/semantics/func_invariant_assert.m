-- An assertion in a function that an invariant calls fails where the invariant is
-- evaluated.
-- cmurphi: unsafe prop="small" depth=1
-- cmurphi: unsafe prop="invariant@13" depth=1
-- rumur: unsafe prop="small" depth=1
-- rumur: unsafe prop="invariant@13" depth=1
-- CMurphi gives: unsafe prop="small" depth=0; its trace breaks off before the last step
type T: 0..1;
var n: T;
function small(x: T): boolean; begin assert x = 0 "small"; return true; end;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
invariant small(n);
