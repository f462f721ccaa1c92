-- An argument is rounded as a variable of the type of the parameter; var parameters are of that very type.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
type R: real(2, 20); S: real(4, 20);
var x: R; y: S; n: 0..1;
procedure keep(z: R; var w: S); begin w := z; end;
startstate begin n := 0; x := 0; y := 1.234; end;
rule begin n := 1 - n; keep(y + 1, y); assert y = 2.2 "rounded"; keep(3, y); assert y = 3.0 "integer"; y := 1.234; end;
