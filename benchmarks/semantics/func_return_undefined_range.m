-- An undefined number is not returned.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
type T: 0..1;
var n: T;
function f(): T; var h: T; begin return h; end;
startstate begin n := 0; end;
rule begin n := f(); end;
