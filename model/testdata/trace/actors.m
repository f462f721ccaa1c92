const N: 3;
      BUG: 0;
type P: scalarset(N);
     E: enum {red, green};
     R: 0..6;
var x: R;
    u: R;
    f: array[P] of boolean;
    g: array[P] of array[P] of E;
    h: array[E] of array[boolean] of 1..2;
    last: P;
ruleset s: P do ruleset e: E do startstate
  for p: P do f[p] := false; for q: P do g[p][q] := red; end; end;
  for c: E do for b: boolean do h[c][b] := 1; end; end;
  g[s][s] := e;
  x := 0; undefine u; undefine last;
end; end; end;
ruleset p: P do ruleset b: boolean do rule f[p] != b & x < 2 ==> begin f[p] := b; x := x + 1; end; end; end;
ruleset e: E; r: 1..2 do ruleset q: P do
rule "same" x >= 2 & h[e][true] != r & isundefined(last) ==> begin h[e][true] := r; x := x + 1; last := q; end; 
rule "same" x >= 2 & h[e][true] != r & !isundefined(last) & last != q ==> begin h[e][true] := r; x := x + 1; last := q; g[q][last] := green; end; 
end; end;
rule BUG = 1 & x = 4 & u = 1 ==> begin x := 0; end;
rule "a, b" x = 4 ==> begin
  if BUG = 2 then assert false "asserted"; end;
  if BUG = 3 then error "erred"; end;
  if BUG = 4 then x := u; end;
  if BUG = 5 then x := 7 + x; end;
  if BUG = 6 then assert x = 1; end;
  if BUG = 9 then x := 5 else x := 0; end;
end;
invariant "inv" BUG = 7 -> x < 4;
invariant BUG = 8 -> x < 4;
