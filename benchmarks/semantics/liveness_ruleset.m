-- liveness in a ruleset must hold for each value on its own. Rumur mixes the values up
-- if it uses symmetry, and reports a violation.
-- cmurphi: safe states=3 canon=2
-- rumur: safe states=3 canon=2
-- CMurphi gives: rejected
type S: scalarset(2);
var s: S;
startstate begin undefine s; end;
ruleset i: S do rule isundefined(s) ==> begin s := i; end; end;
rule !isundefined(s) ==> begin undefine s; end;
ruleset i: S do liveness "turn" !isundefined(s) & s = i; end;
