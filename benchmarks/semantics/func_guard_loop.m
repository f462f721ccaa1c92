-- A function in a guard may loop and call itself.
-- cmurphi: safe states=3
-- rumur: safe states=3
type T: 0..9;
var n: T;
function sum(x: T): T; var k, s: T; begin k := 0; s := 0; while k < x do k := k + 1; s := s + k; end; return s; end;
function even(x: T): boolean; begin if x < 2 then return x = 0; end; return even(x - 2); end;
startstate begin n := 0; end;
rule sum(n) = n * (n + 1) / 2 & even(sum(n)) != even(sum(n) + 1) ==> begin n := (n + 1) % 3; end;
