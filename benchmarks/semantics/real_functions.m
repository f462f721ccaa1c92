-- The functions of the C library.
-- cmurphi: safe states=2
-- rumur: safe states=2
-- options: engine=explicit
-- Rumur gives: rejected
var x: real(4, 20); n: 0..1;
startstate begin n := 0; x := 0; end;
rule begin
  n := 1 - n;
  x := log(2.0); assert x = 0.6931 "log"; x := log10(x); assert x = -0.1592 "log10"; x := exp(1.0); assert x = 2.718 "exp"; x := sin(x); assert x = 0.411 "sin";
  x := cos(x); assert x = 0.9167 "cos"; x := tan(x); assert x = 1.304 "tan"; x := fabs(0 - x); assert x = 1.304 "fabs"; x := floor(x); assert x = 1.0 "floor";
  x := ceil(x + 0.1); assert x = 2.0 "ceil"; x := sqrt(x); assert x = 1.414 "sqrt"; x := fmod(x, 0.5); assert x = 0.414 "fmod"; x := pow(x, 3); assert x = 0.07096 "pow";
  x := asin(x); assert x = 0.07102 "asin"; x := acos(x); assert x = 1.5 "acos"; x := atan(x); assert x = 0.9828 "atan"; x := sinh(x); assert x = 1.149 "sinh";
  x := cosh(x); assert x = 1.736 "cosh"; x := tanh(x); assert x = 0.9398 "tanh";
  x := 0;
end;
