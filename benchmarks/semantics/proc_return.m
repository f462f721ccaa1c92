-- return leaves a procedure, from within loops too.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1;
var n: T;
procedure p(); begin for i: T do if i = n then n := 1 - n; return; end; end; error "end"; end;
startstate begin n := 0; end;
rule begin p(); end;
