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

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- slots 0 : 0..1
-- var 0 n : 0..3
-- var 1 m : 0..5
-- var 2 a : array [0..1] of boolean
-- var 4 bag : multiset [2] of 0..3
-- leaves 8
-- start 0 ""
--   n := 0
--   m := 0
-- rule 0 "low"
--   guard ((m < 5) & !(exists i : 0..1 do exists j := 0 to 2 by 2 do (alias x : a[n] in ((n < j) & a[i])) end end | exists i : slots 0 do (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i]))) end | exists i : 0..1 do exists j := 0 to 2 by 2 do (a[i] -> exists k := j to 3 do (a[k] & (count l : slots 0 do (present(bag[l]) & (bag[l] = n)) end = j)) end) end end))
--   m := (m + 1)
-- rule 1 "high" [i : 0..1; j := 0 to 2 by 2]
--   guard (alias x : a[n] in ((n < j) & a[i]))
--   alias x : a[n]
--     n := (n + 1)
-- rule 2 "middle" [i : 0..1; j := 0 to 2 by 2]
--   guard ((a[i] -> exists k := j to 3 do (a[k] & (count l : slots 0 do (present(bag[l]) & (bag[l] = n)) end = j)) end) & !(exists i : 0..1 do exists j := 0 to 2 by 2 do (alias x : a[n] in ((n < j) & a[i])) end end | exists i : slots 0 do (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i]))) end))
-- rule 3 "element" [i : slots 0]
--   guard (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i])))
-- rule 4 ""
--   guard !(exists i : 0..1 do exists j := 0 to 2 by 2 do (alias x : a[n] in ((n < j) & a[i])) end end | exists i : slots 0 do (present(bag[i]) & ((bag[i] = -n) | !isundefined(bag[i]))) end | exists i : 0..1 do exists j := 0 to 2 by 2 do (a[i] -> exists k := j to 3 do (a[k] & (count l : slots 0 do (present(bag[l]) & (bag[l] = n)) end = j)) end) end end | (m < 5))
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
