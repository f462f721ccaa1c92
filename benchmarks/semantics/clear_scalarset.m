-- clear gives a scalarset its first element, as in Rumur, which is no symmetry.
-- cmurphi: safe states=1
-- rumur: safe states=1
-- CMurphi gives: rejected
-- options: deadlock=off
type S: scalarset(2);
var s: S;
startstate begin clear s; end;
rule begin clear s; end;
