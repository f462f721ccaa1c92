-- An alias around a start state is found before its body, where nothing is defined
-- yet.
-- cmurphi: unsafe prop="runtime-error" depth=0
-- rumur: unsafe prop="runtime-error" depth=0
var n: 0..1; a: array[0..1] of 0..1;
rule begin n := 1 - n; end;
alias x: a[n] do startstate begin n := 0; x := 0; end; end;
