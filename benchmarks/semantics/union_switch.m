-- switch over a union: cases are members of its enums; the other values, and the
-- undefined one under CMurphi, go to else.
-- cmurphi: safe states=10 canon=8
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u: U; n: 0..2;
startstate begin n := 0; undefine u; end;
ruleset v: U do
  rule begin
    switch u case B: assert u = B "case"; case A: assert u = A "case"; else assert u != A & u != B "else"; end;
    u := v;
  end;
end;
rule begin undefine u; end;
rule u = A ==> begin n := 1 - n; end;
