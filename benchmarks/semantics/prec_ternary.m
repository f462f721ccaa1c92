-- ?: does not associate to the right; it may stand in the middle of another.
-- cmurphi: rejected "associate"
-- rumur: rejected "associate"
var a, b: boolean; n: 0..1;
startstate begin a := true; b := true; n := 0; end;
rule begin n := a ? b ? 1 : 0 : 1; end;
rule begin n := a ? 1 : b ? 1 : 0; end;
