-- A var parameter takes a variable, not a value.
-- cmurphi: rejected "var"
-- rumur: rejected "var"
type T: 0..1;
var n: T;
procedure set(var x: T); begin x := 0; end;
startstate begin n := 0; end;
rule begin n := 1 - n; set(n + 0); end;
