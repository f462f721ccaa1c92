-- A leading 0 makes a number octal under Rumur, and means nothing under CMurphi.
-- cmurphi: unsafe prop="octal" depth=1
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; assert 010 = 8 "octal"; end;
