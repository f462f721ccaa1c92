-- Keywords and the predeclared names in any case; other names exactly as
-- written; inner scopes hide outer names.
VAR x, X : BOOLEAN; True1 : Boolean;
StartState Begin x := TRUE; X := False; EndStartState
RuleSet x : 0..1 Do
  Rule "hide" Forall X : 0..2 Do X = x End ==>
    Type x : enum { inner };
    Const c : inner;
    Var y : x;
  Begin
    y := c; True1 := true;
  EndRule
End

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- type x : enum {inner}
-- var 0 x : boolean
-- var 1 X : boolean
-- var 2 True1 : boolean
-- leaves 3
-- start 0 ""
--   x := true
--   X := false
-- rule 0 "hide" [x : 0..1]
--   guard forall X : 0..2 do (X = x) end
--   local y : x
--   y := inner
--   True1 := true
-- prop 0 runtime-error "runtime-error"
-- prop 1 deadlock "deadlock"
