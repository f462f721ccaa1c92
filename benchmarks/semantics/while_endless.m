-- A loop without an end is an error, where Rumur does not return.
-- cmurphi: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="runtime-error" depth=1
-- Rumur gives: timeout
var n: 0..1;
startstate begin n := 0; end;
rule begin while n < 2 do n := 1 - n end; end;
