-- == is =, && is &, || is |, but bind as in Rumur: && more loosely than |.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- CMurphi gives: rejected
var n: 0..1; a, b: boolean;
startstate begin n := 0; a := true; b := false; end;
rule begin
  n := 1 - n;
  assert (n == 0 || n == 1) && a != b "either";
  assert (b && b | a) = false "loose";
  assert (b & b | a) = true "tight";
end;
