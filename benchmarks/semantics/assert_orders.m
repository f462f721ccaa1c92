-- The text of an assertion follows its condition, or stands before it as in Rumur.
-- cmurphi: unsafe prop="before" depth=1
-- cmurphi: unsafe prop="assertion@10" depth=2
-- rumur: unsafe prop="before" depth=1
-- rumur: unsafe prop="assertion@10" depth=2
-- CMurphi gives: rejected
var n: 0..2;
startstate begin n := 0; end;
rule "1" n = 0 ==> begin assert n < 1 "after"; assert "before" n > 0; end;
rule "2" n = 1 ==> begin assert n < 1; end;
rule "3" begin n := (n + 1) % 3; end;
