-- A variable that is undefined may have an alias.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n, u: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; alias x: u do assert isundefined(x) "undefined"; x := n; assert u = n "set"; undefine x; end; end;
