-- What has no name is called by its kind and line.
-- cmurphi: unsafe prop="invariant@9" depth=1
-- rumur: unsafe prop="invariant@9" depth=1
var n: 0..1;
startstate begin n := 0; end;
rule begin n := 1 - n; end;
invariant n >= 0;

invariant n = 0;
