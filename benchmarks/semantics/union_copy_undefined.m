-- Undefined values are copied between a union and its members under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type S: scalarset(2); E: enum {A, B}; U: union {E, S};
var u, v: U; s: S; e: E; n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; u := A; u := e; v := A; v := s; assert isundefined(u) & isundefined(v) "from"; e := A; e := u; s := v; assert isundefined(e) & isundefined(s) "to"; end;
