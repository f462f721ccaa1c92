-- Names begin with a letter.
-- cmurphi: rejected "_"
-- rumur: rejected "_"
var _n: 0..1;
startstate begin _n := 0; end;
rule begin _n := 1 - _n; end;
