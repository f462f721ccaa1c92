-- Comments are -- to the end of the line and /* */, which does not nest. Neither
-- counts within a string.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..1; -- not /* open
/* several
   lines /* and -- no nesting */
startstate "/* no comment" begin n := 0; end;
rule "-- none" begin n /* here */ := 1 - n; end;
