-- What is not supported yet is named once, where it first occurs, and the rest
-- of the file is still read.
type
  S : scalarset(2); E : enum { A };
  U : union { S, E }; -- ERROR 7 "unions are not supported yet"
  M : multiset [3] of S; -- ERROR 7 "multisets are not supported yet"
  F : real(6, 99); -- ERROR 7 "real numbers are not supported yet"
var u : U; b : boolean; n : 0..9; s : S; m : M;
procedure P(var x : boolean; y : 0..9); -- ERROR 1 "procedures are not supported yet"
  var z : boolean;
begin
  z := x; return; -- ERROR 11 "return statements are not supported yet"
end;
function G() : boolean; begin return true; endfunction; -- ERROR 1 "functions are not supported yet"
startstate
  P(b, 1); -- ERROR 3 "procedure calls are not supported yet"
  b := G(); -- ERROR 8 "function calls are not supported yet"
  b := ismember(u, S); multisetadd(s, m);
  clear n; -- ERROR 3 "clear statements are not supported yet"
  while b do b := false; end; -- ERROR 3 "while loops are not supported yet"
  alias x : b; y : n do x := y = 1; end; -- ERROR 3 "aliases are not supported yet"
  assume b; -- ERROR 3 "assumptions are not supported yet"
  n := n ^ ~1 << 2; -- ERROR 10 "bit operators are not supported yet"
end;
alias x : b do rule x ==> P(b, 2); end; endalias;
choose i : m do rule "r" end; endchoose;
rule 3 "urgent" b ==> end; -- ERROR 6 "rule priorities are not supported yet"
rule P(b, 3); b := false; end
cover "c" b; -- ERROR 1 "cover properties are not supported yet"
liveness "l" b; -- ERROR 1 "liveness properties are not supported yet"
rule b + ==> end; -- ERROR 10 "expected an expression"
pctl [ b until <= 3 b ] < 4; -- ERROR 1 "PCTL formulas are not supported yet"
