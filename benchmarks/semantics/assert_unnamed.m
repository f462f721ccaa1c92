-- An assertion without a text is called by its line.
-- cmurphi: unsafe prop="assertion@6" depth=2
-- rumur: unsafe prop="assertion@6" depth=2
var n: 0..2;
startstate begin n := 0; end;
rule begin n := (n + 1) % 3; assert n < 2; end;
