-- Multisets of real numbers; equal ones are one element each.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- CMurphi gives: rejected
-- Rumur gives: rejected
var m: multiset [3] of real(2, 20); n: 0..1;
startstate begin n := 0; end;
rule begin
  n := 1 - n; multisetadd(0.5, m); multisetadd(0.25 * 2, m); multisetadd(1, m);
  assert multisetcount(i: m, m[i] = 0.5) = 2 "two"; multisetremovepred(i: m, m[i] > 0.0);
end;
