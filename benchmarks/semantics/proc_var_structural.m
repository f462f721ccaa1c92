-- A var parameter takes any variable of the same range. CMurphi wants one of the very
-- same type.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..1;
procedure flip(var x: 0..1); begin x := 1 - x; end;
startstate begin n := 0; end;
rule begin flip(n); end;
