-- Where a quantifier over a scalarset reads an undefined value after the one that
-- decides, only some members of an orbit err: this is no symmetry, and none is used.
-- cmurphi: safe states=1
-- rumur: safe states=1
-- options: deadlock=off
type S: scalarset(2); B: boolean;
var a: array[S] of B; k: S;
startstate "first" begin
  undefine a;
  for i: S do if isundefined(k) then k := i; a[i] := true; end; end;
  undefine k;
end;
rule begin assert exists i: S do a[i] end "found"; end;
