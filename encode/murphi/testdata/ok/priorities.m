-- Rules with a number fire only if none of a lesser one is enabled.
var n : 0..3; m : 0..5; a : array [0..1] of boolean; bag : multiset [2] of 0..3;
startstate n := 0; m := 0; end;
rule 5 "low" m < 5 ==> m := m + 1; end;
ruleset i : 0..1; j := 0 to 2 by 2 do
  alias x : a[n] do rule 3 "high" n < j & a[i] ==> n := n + 1; end; end;
  rule 4 "middle" a[i] -> exists k := j to 3 do a[k] & multisetcount(l : bag, bag[l] = n) = j end ==> end;
end;
choose i : bag do rule 3 "element" bag[i] = -n | !isundefined(bag[i]) ==> end; end;
rule 6 begin end;
type S : scalarset(2); F : enum { X }; U : union { S, F }; T : record u : U; bags : array [0..1] of multiset [2] of U; end;
var r : T; byU : array [U] of T;
function f(x : 0..1; u : U) : boolean; begin return ismember(u, S); end;
ruleset i : 0..1; u : U; s : S do
  rule 1 "all" (f(i, s) ? isundefined(byU[s].u) : ismember(r.u, F)) & (exists k : 0..1 do k = i end) ==> end;
  choose j : r.bags[0] do alias c : r.bags[0][j]; do rule 2 "fixed" c = s & f(i, u) ==> end; end; end;
  choose j : byU[s].bags[i] do alias c : byU[s].bags[i][j] do rule 2 "fixed too" c = u ==> end; end; end;
  choose j : r.bags[0] do alias c : r.bags[1][j] do rule 2 "another" c = u ==> end; end; end;
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- slots 0 : 0..1
-- scalarset 1 S : 1..2
-- slots 2 : 0..1
-- type S : scalarset(2)
-- type F : enum {X}
-- type U : union {S, F}
-- type T : record { 0 u : U; 1 bags : array [0..1] of multiset [2] of U }
-- var 0 n : 0..3
-- var 1 m : 0..5
-- var 2 a : array [0..1] of boolean
-- var 4 bag : multiset [2] of 0..3
-- var 8 r : T
-- var 17 byU : array [U] of T
-- leaves 44
-- procedure 0 f(var x : 0..1; var u : U) : boolean
--   return ismember(u, S)
-- start 0 ""
--   n := 0
--   m := 0
-- rule 0 "low"
--   guard ((m < 5) & !(exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (r.bags[0][j] = U(s)) & (let x : 0..1 = i in (let u : U = u in f(x, u)))) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(byU[U(s)].bags[i][j]) & (byU[U(s)].bags[i][j] = u)) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (alias c : r.bags[1][j] in (c = u))) end end end end | exists i : 0..1 do exists j := 0 to 2 by 2 do (alias x : a[n] in ((n < j) & a[i])) end end | exists i : slots 0 do (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i]))) end | exists i : 0..1 do exists j := 0 to 2 by 2 do (a[i] -> exists k := j to 3 do (a[k] & (count l : slots 0 do (present(bag[l]) & (bag[l] = n)) end = j)) end) end end))
--   m := (m + 1)
-- rule 1 "high" [i : 0..1; j := 0 to 2 by 2]
--   guard ((alias x : a[n] in ((n < j) & a[i])) & !(exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (r.bags[0][j] = U(s)) & (let x : 0..1 = i in (let u : U = u in f(x, u)))) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(byU[U(s)].bags[i][j]) & (byU[U(s)].bags[i][j] = u)) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (alias c : r.bags[1][j] in (c = u))) end end end end))
--   alias x : a[n]
--     n := (n + 1)
-- rule 2 "middle" [i : 0..1; j := 0 to 2 by 2]
--   guard ((a[i] -> exists k := j to 3 do (a[k] & (count l : slots 0 do (present(bag[l]) & (bag[l] = n)) end = j)) end) & !(exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (r.bags[0][j] = U(s)) & (let x : 0..1 = i in (let u : U = u in f(x, u)))) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(byU[U(s)].bags[i][j]) & (byU[U(s)].bags[i][j] = u)) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (alias c : r.bags[1][j] in (c = u))) end end end end | exists i : 0..1 do exists j := 0 to 2 by 2 do (alias x : a[n] in ((n < j) & a[i])) end end | exists i : slots 0 do (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i]))) end))
-- rule 3 "element" [i : slots 0]
--   guard (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i])) & !(exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (r.bags[0][j] = U(s)) & (let x : 0..1 = i in (let u : U = u in f(x, u)))) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(byU[U(s)].bags[i][j]) & (byU[U(s)].bags[i][j] = u)) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (alias c : r.bags[1][j] in (c = u))) end end end end))
-- rule 4 ""
--   guard !(exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (r.bags[0][j] = U(s)) & (let x : 0..1 = i in (let u : U = u in f(x, u)))) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(byU[U(s)].bags[i][j]) & (byU[U(s)].bags[i][j] = u)) end end end end | exists i : 0..1 do exists u : U do exists s : S do exists j : slots 2 do (present(r.bags[0][j]) & (alias c : r.bags[1][j] in (c = u))) end end end end | exists i : 0..1 do exists j := 0 to 2 by 2 do (alias x : a[n] in ((n < j) & a[i])) end end | exists i : slots 0 do (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i]))) end | exists i : 0..1 do exists j := 0 to 2 by 2 do (a[i] -> exists k := j to 3 do (a[k] & (count l : slots 0 do (present(bag[l]) & (bag[l] = n)) end = j)) end) end end | (m < 5))
-- rule 5 "all" [i : 0..1; u : U; s : S]
--   guard (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end)
-- rule 6 "fixed" [i : 0..1; u : U; s : S; j : slots 2]
--   guard (present(r.bags[0][j]) & (r.bags[0][j] = U(s)) & (let x : 0..1 = i in (let u : U = u in f(x, u))) & !exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end)
-- rule 7 "fixed too" [i : 0..1; u : U; s : S; j : slots 2]
--   guard (present(byU[U(s)].bags[i][j]) & (byU[U(s)].bags[i][j] = u) & !exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end)
-- rule 8 "another" [i : 0..1; u : U; s : S; j : slots 2]
--   guard (present(r.bags[0][j]) & (alias c : r.bags[1][j] in (c = u)) & !exists i : 0..1 do exists u : U do exists s : S do (((let x : 0..1 = i in (let u : U = U(s) in f(x, u))) ? isundefined(byU[U(s)].u) : ismember(r.u, F)) & exists k : 0..1 do (k = i) end) end end end)
--   alias c : r.bags[1][j]
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
