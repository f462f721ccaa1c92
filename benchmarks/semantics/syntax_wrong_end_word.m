-- The word of another construct does not end it.
-- cmurphi: rejected "endif"
-- rumur: rejected "endif"
var n: 0..1;
startstate begin n := 0; end;
rule begin for i: 0..1 do n := i; endif; end;
