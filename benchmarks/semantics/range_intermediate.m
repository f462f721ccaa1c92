-- Only what is written is checked: intermediate results may leave the range.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
rule begin n := (n * 7 + 50 + 1) % 2; end;
