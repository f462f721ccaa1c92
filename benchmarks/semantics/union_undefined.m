-- Undefined unions are equal to each other and to nothing else under CMurphi, and
-- an error under Rumur.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="undefined" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u, v: U; s: S; n: 0..1;
startstate begin n := 0; end;
rule begin
  n := 1 - n;
  assert u = v & u = s & !(u != s) & u != A & A != u & !(u = B) "undefined";
  v := A;
  assert u != v & v != u & v != s "one";
  v := u;
  assert isundefined(v) "copied";
end;
