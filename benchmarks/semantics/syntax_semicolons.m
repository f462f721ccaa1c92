-- A statement may be followed by several semicolons, the last one by none.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1;
startstate begin n := 0 end;
rule begin n := 1 - n;;; if n = 1 then n := 1 end; end;
