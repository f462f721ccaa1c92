-- A value for which p cannot be reached violates it, whichever value that is.
-- cmurphi: unsafe prop="turn" depth=1
-- rumur: unsafe prop="turn" depth=1
-- CMurphi gives: rejected
-- Rumur gives: unsafe prop="turn" depth=8; its traces of liveness are not the shortest
type S: scalarset(3);
var s: S; b: boolean;
startstate begin undefine s; b := false; end;
ruleset i: S do rule isundefined(s) ==> begin s := i; end; end;
rule begin b := !b; end;
ruleset i: S do liveness "turn" !isundefined(s) & s = i; end;
