-- More that is not supported yet, or only looks like it.
externfun f(x : boolean) : boolean "f.h"; -- ERROR 1 "external functions are not supported yet"
var b : boolean; assume, cover : boolean; x : 0..3;
assume "positive" x > 0; -- ERROR 1 "assumptions are not supported yet"
startstate
  x := 1.5; -- ERROR 8 "real numbers are not supported yet"
  x := .5;
  assume := b; cover := assume;
  liveness b; -- ERROR 3 "liveness is not a statement" -- ERROR 3 "liveness properties are not supported yet"
  x := 1;
end;
rule cover b; end; -- ERROR 6 "cover properties are not supported yet"
rule cover & assume ==> end;
alias c : b do invariant c; endalias -- ERROR 1 "aliases are not supported yet"
choose i : b do -- ERROR 1 "multisets are not supported yet"
  rule b := ; end; -- ERROR 13 "expected an expression"
endchoose;
junk here; rule x := ; end; -- ERROR 1 "expected a declaration or a rule, found 'junk'" -- ERROR 22 "expected an expression"
