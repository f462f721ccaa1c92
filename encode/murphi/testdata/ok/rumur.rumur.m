-- What Rumur alone accepts or means otherwise.
type E : enum { A, B, C }; T : A..C;
var n : 0..010; t : T; b, f : boolean; x : array [0..3] of boolean; i, j : 0..3;
startstate "over
two lines"
  t := 2; f := true;
  for k := i to j do x[k] := true; end;
  for k := 0 to j do x[k] := true; end;
  for k := j to 3 do x[k] := true; end;
  for k := i to 2 do x[k] := true; end;
  for k := i to 2 by 1 do x[k] := true; end;
  b := forall k := i + 0 to j do x[k] end;
end;
rule i ==> i := 0; end;
procedure P(x : 0..1); var undefined : 0..1; begin i := undefined; P(undefined); P(Undefined); i := Undefined; end;
rule 3 - i ==> i := 3; end;
rule b ==> b := false; end;
procedure Zero(var a : 0..3); begin a := 0; end;
startstate for i : 0..3 do n := i; i := 1; Zero(i); n := i; end; for i := 0 to 3 do clear i; end; for i : 0..3 do alias k : i do end; end; end;
ruleset i : 0..3; c : boolean do
  rule i = 1 ==> var c : boolean; begin for i : 0..1; k : 0..2 do undefine k; i := k; end; c := false; c := c; end;
  rule c := i = 0; end;
  rule Zero(j); end;
end;
/* no end

--- dump
-- model test.m, dialect rumur, deadlock stuttering
-- type E : enum {A, B, C}
-- type T : 0..2
-- var 0 n : 0..8
-- var 1 t : T
-- var 2 b : boolean
-- var 3 f : boolean
-- var 4 x : array [0..3] of boolean
-- var 8 i : 0..3
-- var 9 j : 0..3
-- leaves 10
-- procedure 0 P(x : 0..1)
--   local undefined : 0..1
--   local undefined : 0..1
--   i := undefined
--   P(undefined)
--   P(undefined)
--   undefine i
-- procedure 1 Zero(var a : 0..3)
--   a := 0
-- start 0 "over\ntwo lines"
--   t := 2
--   f := true
--   let from : 0..3 = i
--     let to : 0..3 = j
--       for distance := 0 to ((from > to) ? (from - to) : (to - from))
--         let k : integer = ((from > to) ? (from - distance) : (from + distance))
--           x[k] := true
--   for k := 0 to j
--     x[k] := true
--   for k := j to 3
--     x[k] := true
--   let from : 0..3 = i
--     for distance := 0 to ((from > 2) ? (from - 2) : (2 - from))
--       let k : integer = ((from > 2) ? (from - distance) : (from + distance))
--         x[k] := true
--   for k := i to 2 by 1
--     x[k] := true
--   b := (let from : integer = (i + 0) in (let to : 0..3 = j in forall distance := 0 to ((from > to) ? (from - to) : (to - from)) do (let k : integer = ((from > to) ? (from - distance) : (from + distance)) in x[k]) end))
-- start 1 ""
--   local i : 0..3
--   local i : 0..3
--   local i : 0..3
--   for i : 0..3
--     i := i
--     n := i
--     i := 1
--     Zero(i)
--     n := i
--   for i := 0 to 3
--     i := i
--     clear i
--   for i : 0..3
--     i := i
-- rule 0 ""
--   guard (i != 0)
--   i := 0
-- rule 1 ""
--   guard ((3 - i) != 0)
--   i := 3
-- rule 2 ""
--   guard b
--   b := false
-- rule 3 "" [i : 0..3; c : boolean]
--   guard (i = 1)
--   local i : 0..3
--   local c : boolean
--   local c : boolean
--   local i : 0..1
--   local k : 0..2
--   i := i
--   c := c
--   for i : 0..1
--     for k : 0..2
--       i := i
--       k := k
--       undefine k
--       i := k
--   c := false
--   c := c
-- rule 4 "" [i : 0..3; c : boolean]
--   local c : boolean
--   c := c
--   c := (i = 0)
-- rule 5 "" [i : 0..3; c : boolean]
--   Zero(j)
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
