-- A value parameter cannot be assigned.
-- cmurphi: rejected "assigned"
-- rumur: rejected "assigned"
type T: 0..1;
var n: T;
procedure p(x: T); begin x := 0; end;
startstate begin n := 0; end;
rule begin n := 1 - n; p(n); end;
