-- Unions stand in arrays and records, and are permuted with their scalarsets.
-- cmurphi: safe states=25 canon=15
-- rumur: safe states=25 canon=15
-- Rumur gives: rejected
type S: scalarset(2); E: enum {Home, None}; U: union {S, E}; R: record who: U end;
var r: array[S] of R;
startstate begin for i: S do r[i].who := None; end; end;
ruleset i: S; v: U do rule begin r[i].who := v; end; end;
rule begin undefine r; end;
ruleset i: S do rule begin undefine r[i]; end; end;
