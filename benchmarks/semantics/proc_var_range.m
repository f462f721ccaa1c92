-- A var parameter of a range takes a variable of that range.
-- cmurphi: rejected "var parameter"
-- rumur: rejected "var parameter"
type T: 0..1; U: 0..2;
var n: U;
procedure set(var x: T); begin x := 0; end;
startstate begin n := 0; end;
rule begin n := 1 - n; set(n); end;
