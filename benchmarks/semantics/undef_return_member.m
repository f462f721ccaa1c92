-- Returning an undefined union is like copying it.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var n: 0..1; u, v: U;
function f(x: U): U; begin return x; end;
startstate begin n := 0; end;
rule begin n := 1 - n; v := f(u); assert isundefined(v) & f(u) = v "undefined"; end;
