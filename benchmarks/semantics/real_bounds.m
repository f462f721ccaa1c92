-- A real type has 1 to 15 digits, and a greatest exponent of 10 to 308.
-- cmurphi: rejected "the greatest exponent must be in 10..308"
-- rumur: rejected "the greatest exponent must be in 10..308"
var x: real(4, 2); n: 0..1;
startstate begin n := 0; x := 1.5; end;
rule begin n := 1 - n; end;
