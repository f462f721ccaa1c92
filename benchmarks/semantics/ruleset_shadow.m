-- A bound variable may hide another; CMurphi refuses.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..1;
startstate begin n := 0; end;
ruleset i: 0..1 do rule begin for i: 0..1 do n := i end; n := i; end; end;
