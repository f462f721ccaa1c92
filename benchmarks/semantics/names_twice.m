-- A second property of a name gets its line appended.
-- cmurphi: unsafe prop="small@8" depth=1
-- rumur: unsafe prop="small@8" depth=1
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
invariant "small" n <= 1;
invariant "small" n <= 0;
