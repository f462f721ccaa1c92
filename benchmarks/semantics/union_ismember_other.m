-- ismember is asked of a type that the value can belong to. CMurphi asks nothing.
-- cmurphi: rejected "D"
-- rumur: rejected "D"
-- CMurphi gives: safe states=2
type S: scalarset(2); E: enum {A, B}; D: enum {C, F}; U: union {E, S};
var u: U; n: 0..1;
startstate begin n := 0; u := A; end;
rule begin n := 1 - n; if ismember(u, D) then u := B end; end;
