-- Aliases: of fixed places they vanish, of others they are bound where they stand.
type Id : 0..2; Wide : 0..4;
  R : record n : Id; a : array [Id] of Wide; end;
var x, y : Id; z : Wide; a : array [Id] of R; r : R; b : boolean;
function Get(r : R) : R; begin return r; end;
procedure Par(var p : R; v : R); begin
  alias q : p.n; w : v.a[0] do q := w; end;
  alias q : p.a[x] do q := 1; end;
end;
startstate
  alias k : 2; e : true do
    x := k; b := e;
    alias p : r.n; q : a[k].a[0] do p := q; undefine q; put p; b := isundefined(q); end;
  endalias;
  alias p : a[x]; q : p.a[y]; p : q do x := 0; q := 3; p := 1; end;
  for i : Id do alias p : a[i].n do p := i; end end;
  for i : Wide do alias p : a[i] do p.n := 0; end end;
  for i := 0 to 1 do alias p : a[i] do p.n := 0; end end;
  alias v : x + 1; w : Get(r); c : x = y do z := v; r := w; b := c & w.n = v; end;
  alias n : z do alias n : n do n := 0; end end;
end;
alias f : r.n; g : a[x]; h : x + y; do
  rule "guarded" f = h ==> f := 0; g.n := h; end;
  rule "unguarded" begin f := 1; end;
  startstate "alone" f := 0; end;
  ruleset i : Id do
    alias own : a[i]; wide : own.a[h] do
      rule own.n = wide ==> var l : Id; begin l := h; own.n := l; end;
      invariant "inv" own.n < 3; liveness "live" wide = 0; cover "cov" g.n = 1; assume "ass" f < 2;
    end;
  end;
end;

--- dump
-- model test.m, dialect cmurphi, deadlock stuttering
-- type Id : 0..2
-- type Wide : 0..4
-- type R : record { 0 n : Id; 1 a : array [Id] of Wide }
-- var 0 x : Id
-- var 1 y : Id
-- var 2 z : Wide
-- var 3 a : array [Id] of R
-- var 15 r : R
-- var 19 b : boolean
-- leaves 20
-- procedure 0 Get(var r : R) : R
--   return r
-- procedure 1 Par(var p : R; var v : R)
--   p.n := v.a[0]
--   alias q : p.a[x]
--     q := 1
-- start 0 ""
--   x := 2
--   b := true
--   r.n := a[2].a[0]
--   undefine a[2].a[0]
--   put r.n
--   b := isundefined(a[2].a[0])
--   alias p : a[x]
--     alias q : p.a[y]
--       x := 0
--       q := 3
--       q := 1
--   for i : Id
--     a[i].n := i
--   for i : Wide
--     alias p : a[i]
--       p.n := 0
--   for i := 0 to 1
--     a[i].n := 0
--   let v : integer = (x + 1)
--     let w : R = Get(r)
--       let c : boolean = (x = y)
--         z := v
--         r := w
--         b := (c & (w.n = v))
--   z := 0
-- start 1 "alone"
--   alias g : a[x]
--     let h : integer = (x + y)
--       r.n := 0
-- rule 0 "guarded"
--   guard (alias g : a[x] in (let h : integer = (x + y) in (r.n = h)))
--   alias g : a[x]
--     let h : integer = (x + y)
--       r.n := 0
--       g.n := h
-- rule 1 "unguarded"
--   guard (alias g : a[x] in (let h : integer = (x + y) in true))
--   alias g : a[x]
--     let h : integer = (x + y)
--       r.n := 1
-- rule 2 "" [i : Id]
--   guard (alias g : a[x] in (let h : integer = (x + y) in (alias wide : a[i].a[h] in (a[i].n = wide))))
--   local l : Id
--   alias g : a[x]
--     let h : integer = (x + y)
--       alias wide : a[i].a[h]
--         l := h
--         a[i].n := l
-- prop 0 invariant "inv" [i : Id] (alias g : a[x] in (let h : integer = (x + y) in (alias wide : a[i].a[h] in (a[i].n < 3))))
-- prop 1 cover "cov" [i : Id] (alias g : a[x] in (let h : integer = (x + y) in (alias wide : a[i].a[h] in (g.n = 1))))
-- prop 2 liveness "live" [i : Id] (alias g : a[x] in (let h : integer = (x + y) in (alias wide : a[i].a[h] in (wide = 0))))
-- prop 3 runtime-error "runtime-error"
-- prop 4 deadlock "deadlock"
-- assume "ass" [i : Id] (alias g : a[x] in (let h : integer = (x + y) in (alias wide : a[i].a[h] in (r.n < 2))))
