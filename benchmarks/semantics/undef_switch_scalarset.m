-- switch on an undefined value of a scalarset takes else under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type S: scalarset(2);
var n: 0..1; s: S;
startstate begin n := 0; end;
rule begin switch s else n := 1 - n; end; end;
