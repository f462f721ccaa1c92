-- A name is a member of one enum only.
-- cmurphi: rejected "already declared"
-- rumur: rejected "already declared"
type D: enum {A, B}; E: enum {B, C};
var d: D;
startstate begin d := A; end;
rule begin d := d = A ? B : A; end;
