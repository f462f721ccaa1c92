-- An undefined member of an enum, value of a scalarset or union is an element under
-- CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: rejected
type E: enum {A, B};
var m: multiset[2] of E; e: E; n: 0..1;
startstate begin n := 0; end;
rule begin
  n := 1 - n;
  multisetadd(e, m);
  assert multisetcount(i: m, isundefined(m[i])) = 1 "there";
  undefine m;
end;
