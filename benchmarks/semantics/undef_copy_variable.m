-- x := y copies the undefined value of a variable under CMurphi.
-- cmurphi: safe states=2
-- rumur: unsafe prop="runtime-error" depth=1
type E: enum {A, B}; S: scalarset(2);
var n, m, k: 0..1; b, c: boolean; e, f: E; s, t: S;
startstate begin k := 0; end;
rule begin
  k := 1 - k;
  n := m; b := c; e := f; s := t;
  assert isundefined(n) & isundefined(b) & isundefined(e) & isundefined(s) "copied";
end;
