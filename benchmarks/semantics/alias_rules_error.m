-- Errors of an alias around rules are errors of the guard, even if the guard does not
-- need it.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=2
var n: 0..2; a: array[0..1] of 0..1;
startstate begin n := 1; a[0] := 0; a[1] := 0; end;
rule begin n := n + 1; end;
alias x: a[n] do rule false ==> begin x := 0; end; end;
