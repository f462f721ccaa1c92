-- Peterson's mutual exclusion algorithm for N processes (the filter lock).
--
-- A process climbs the levels 1 .. N-1. At each it first announces the level in Flag,
-- then signs as that level's last comer in Turn, then waits until nobody else is at
-- this level or above, or until somebody signed after it.
--
-- Source: G. L. Peterson, "Myths about the mutual exclusion problem", IPL 1981.
--
-- expect: N=2 safe states=43 canon=23
-- expect: N=3 safe states=894 canon=174
-- expect: N=4 safe states=18165 canon=969
-- expect: N=5 safe states=409308 canon=4740

const N: 2;

type PROC:  scalarset(N);
     LEVEL: 0..N-1;
     STEP:  enum {Idle, Announce, Sign, Wait, Critical};

var PC:   array[PROC] of STEP;
    Flag: array[PROC] of LEVEL;      -- the level a process is at; 0 when idle
    Turn: array[1..N-1] of PROC;     -- who signed last; undefined before anyone has

startstate "Init"
  for p: PROC do
    PC[p] := Idle;
    Flag[p] := 0;
  end;
  undefine Turn;
end;

ruleset p: PROC do
  rule "Start" PC[p] = Idle ==>
  begin
    PC[p] := Announce;
  end;

  rule "Announce" PC[p] = Announce ==>
  begin
    Flag[p] := Flag[p] + 1;
    PC[p] := Sign;
  end;

  rule "Sign" PC[p] = Sign ==>
  begin
    Turn[Flag[p]] := p;
    PC[p] := Wait;
  end;

  rule "Pass"
    PC[p] = Wait &
    (Turn[Flag[p]] != p | forall q: PROC do q != p -> Flag[q] < Flag[p] end) ==>
  begin
    if Flag[p] = N-1 then PC[p] := Critical; else PC[p] := Announce; end;
  end;

  rule "Exit" PC[p] = Critical ==>
  begin
    Flag[p] := 0;
    PC[p] := Idle;
  end;
end;

invariant "Mutex"
  forall p: PROC do forall q: PROC do
    p != q & PC[p] = Critical -> PC[q] != Critical
  end end;

-- Who starts gets in.
--@ ltl served: forall p: PROC: G (PC[p] = Announce -> F PC[p] = Critical)
