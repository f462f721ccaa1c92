-- Each variable of a ruleset, quantifier or loop has its own type.
-- cmurphi: rejected "':'"
-- rumur: rejected "':'"
type T: 0..1;
var n: T;
startstate begin n := 0; end;
ruleset i, j: T do rule i != j ==> begin n := i; end; end;
