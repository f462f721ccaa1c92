-- Multisets: operations become loops and counts over slots.
type
  S : scalarset(2); E : enum { A, B }; U : union { S, E };
  M : record k : E; d : 0..2; end;
  Net : multiset [3] of M;
var
  net : array [S] of Net; bag : multiset [2] of U; nums : MultiSet [1+1] of 0..3;
  rec : record inner : Net; end; n : 0..9; m : M; s : S; i : S;
procedure Send(var dst : Net; x : M); begin MultiSetAdd(x, dst); end;
startstate
  undefine net; clear bag; m.k := A; m.d := 0; s := s;
  multisetadd(m, net[s]); multisetadd(s, bag); multisetadd(A, bag); multisetadd(2, nums); Send(net[s], m);
  net[s] := rec.inner; rec.inner := net[s]; undefine rec;
  n := multisetcount(j : bag, true); n := MultisetCount(j : net[s], net[s][j].d > 1 & net[s][j].k = m.k);
  multisetremovepred(j : bag, bag[j] = A); multisetremovepred(j : net[s], net[s][j].d = 0);
end;
ruleset t : S do
  choose j : net[t] do
    rule "receive" net[t][j].k = A ==> begin m := net[t][j]; net[t][j].d := 1; multisetremove(j, net[t]); put m; end;
    rule "any" begin end;
    choose k : bag : rule "nested" !isundefined(bag[k]) ==> multisetremove(k, bag); end; endchoose;
    ruleset d : 0..2 do invariant "small" net[t][j].d <= d; cover net[t][j].k = B; assume "low" net[t][j].d < 2; end;
  end;
end;
choose j : net[i] do alias c : net[i][j]; d : c.d do rule "moving" d = 1 ==> c.k := B; end; end; end;
choose j : bag do alias c : bag[j] do rule "fixed" c = A ==> c := B; end; end; end;
rule multisetadd(m, net[i]); end;
rule multisetcount(j : nums, nums[j] = multisetcount(k : nums, j = k)) = 1 ==> end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- scalarset 0 S : 1..2
-- slots 1 : 0..2
-- slots 2 : 0..1
-- slots 3 : 0..1
-- type S : scalarset(2)
-- type E : enum {A, B}
-- type U : union {S, E}
-- type M : record { 0 k : E; 1 d : 0..2 }
-- type Net : multiset [3] of M
-- var 0 net : array [S] of Net
-- var 18 bag : multiset [2] of U
-- var 22 nums : multiset [2] of 0..3
-- var 26 rec : record { 0 inner : Net }
-- var 35 n : 0..9
-- var 36 m : M
-- var 38 s : S
-- var 39 i : S
-- leaves 40
-- procedure 0 Send(var dst : Net; var x : M)
--   insert x into dst
-- start 0 ""
--   undefine net
--   clear bag
--   m.k := A
--   m.d := 0
--   s := s
--   insert m into net[s]
--   insert U(s) into bag
--   insert U(A) into bag
--   insert 2 into nums
--   Send(net[s], m)
--   net[s] := rec.inner
--   rec.inner := net[s]
--   undefine rec
--   n := count j : slots 2 do present(bag[j]) end
--   n := (alias net : net[s] in count j : slots 1 do (present(net[j]) & (net[s][j].d > 1) & (net[s][j].k = m.k)) end)
--   for j : slots 2
--     if (present(bag[j]) & (bag[j] = U(A)))
--       remove bag[j]
--   alias net : net[s]
--     for j : slots 1
--       if (present(net[j]) & (net[s][j].d = 0))
--         remove net[j]
-- rule 0 "receive" [t : S; j : slots 1]
--   guard (present(net[t][j]) & (net[t][j].k = A))
--   m := net[t][j]
--   net[t][j].d := 1
--   remove net[t][j]
--   put m
-- rule 1 "any" [t : S; j : slots 1]
--   guard present(net[t][j])
-- rule 2 "nested" [t : S; j : slots 1; k : slots 2]
--   guard (present(net[t][j]) & present(bag[k]) & !isundefined(bag[k]))
--   remove bag[k]
-- rule 3 "moving" [j : slots 1]
--   guard (present(net[i][j]) & (alias c : net[i][j] in (c.d = 1)))
--   alias c : net[i][j]
--     c.k := B
-- rule 4 "fixed" [j : slots 2]
--   guard (present(bag[j]) & (bag[j] = U(A)))
--   bag[j] := U(B)
-- rule 5 ""
--   insert m into net[i]
-- rule 6 ""
--   guard (count j : slots 3 do (present(nums[j]) & (nums[j] = count k : slots 3 do (present(nums[k]) & (j = k)) end)) end = 1)
-- prop 0 invariant "small" [t : S; j : slots 1; d : 0..2] (present(net[t][j]) -> (net[t][j].d <= d))
-- prop 1 cover "cover@22" [t : S; j : slots 1; d : 0..2] (present(net[t][j]) & (net[t][j].k = B))
-- prop 2 runtime-error "runtime-error"
-- prop 3 deadlock "deadlock"
-- assume "low" [t : S; j : slots 1; d : 0..2] (present(net[t][j]) -> (net[t][j].d < 2))
