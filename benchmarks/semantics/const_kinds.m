-- A constant has the value of a constant expression; it is a number, a boolean or
-- a member of an enum.
-- cmurphi: safe states=4
-- rumur: safe states=4
type E: enum {A, B};
const
  N: 3;
  M: N * 2 - 1;
  Yes: N < M;
  First: A;
var n: 0..N; e: E;
startstate begin n := 0; e := First; end;
rule begin n := (n + M) % (N + 1); if Yes then e := First; end; assert n <= N & M = 5 "const"; end;
