-- A state holds the decimal numbers: 0.1 is added until rounding to one digit has no more effect.
-- cmurphi: safe states=11
-- rumur: safe states=11
-- options: deadlock=off engine=explicit
-- Rumur gives: rejected
var x: real(1, 99);
startstate begin x := 0; end;
rule begin x := x + 0.1; end;
