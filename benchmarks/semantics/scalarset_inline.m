-- Every scalarset that is written out is a type of its own.
-- cmurphi: rejected "scalarset"
-- rumur: rejected "scalarset"
-- Rumur gives: safe states=3
var s: scalarset(2);
startstate begin undefine s; end;
ruleset i: scalarset(2) do rule begin s := i; end; end;
