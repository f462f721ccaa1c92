-- Rules with local declarations need begin.
-- cmurphi: rejected "begin"
-- rumur: rejected "begin"
var n: 0..1;
startstate begin n := 0; end;
rule true ==> var k: 0..1; k := n; n := 1 - k; end;
