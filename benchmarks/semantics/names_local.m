-- Rules and procedures have constants and types of their own.
-- cmurphi: safe states=2
-- rumur: safe states=2
var n: 0..9;
procedure up(); const C: 4; type T: 0..C; var x: T; begin x := n + C; n := x; end;
startstate begin n := 0; end;
rule const C: 2; type T: 0..C; var x: T; begin if n = 0 then up(); else x := n / C; n := x - 2; end; end;
