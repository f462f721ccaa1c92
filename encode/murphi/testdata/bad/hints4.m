type n : scalarset(2);
var m : multiset [3] of n; x : array [n] of boolean;
startstate begin undefine m; undefine x; end;
choose k : m do
  rule begin multisetremove(m, k); end; -- ERROR 29 "the element first: multisetremove\\(k, m\\)"
end;
invariant "a" !x[n_1]; -- ERROR 18 "traces call a value of n so"
