-- A range has at least one value.
-- cmurphi: rejected "empty"
-- rumur: rejected "empty"
var n: 2..1;
startstate begin undefine n; end;
rule begin undefine n; end;
