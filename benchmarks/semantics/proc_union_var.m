-- A member of a union is no var parameter of the union, nor the other way round.
-- cmurphi: rejected "var parameter"
-- rumur: rejected "var parameter"
type D: enum {A, B}; E: enum {C, F}; U: union {D, E};
var d: D;
procedure p(var u: U); begin u := A; end;
startstate begin d := A; end;
rule begin p(d); end;
