-- Two scalarsets are two types, also if they are of one size, as in CMurphi.
-- cmurphi: rejected "T"
-- rumur: rejected "T"
-- Rumur gives: safe states=3
type S: scalarset(2); T: scalarset(2);
var s: S; t: T;
startstate begin undefine s; undefine t; end;
ruleset i: S do rule begin t := i; s := i; end; end;
