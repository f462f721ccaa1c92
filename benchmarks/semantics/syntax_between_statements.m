-- Statements are separated by semicolons, after end as well.
-- cmurphi: rejected "';'"
-- rumur: rejected "';'"
var n: 0..1;
startstate begin n := 0; end;
rule begin if n = 1 then n := 0 end n := 1 - n; end;
