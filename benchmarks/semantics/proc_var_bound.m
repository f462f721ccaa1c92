-- A bound variable is no argument for a var parameter, but under Rumur, where a copy
-- changes.
-- cmurphi: rejected "var parameter"
-- rumur: safe states=2
type T: 0..1;
var n: T;
procedure set(var x: T); begin x := 0; end;
startstate begin n := 0; end;
ruleset i: T do rule begin n := i; set(i); end; end;
