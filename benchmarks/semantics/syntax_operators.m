-- <> and other spellings of operators are not known.
-- cmurphi: rejected "expected"
-- rumur: rejected "expected"
var n: 0..1;
startstate begin n := 0; end;
rule n <> 2 ==> begin n := 1 - n; end;
