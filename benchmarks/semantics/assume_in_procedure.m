-- An assume statement may stand in a procedure that a rule calls.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
type T: 0..2;
var n: T;
procedure up(); begin n := n + 1; assume n < 2; end;
startstate begin n := 0; end;
rule begin up(); end;
rule begin n := 0; end;
