-- Dining philosophers with a footman.
--
-- Philosopher i takes the fork on the left (i), then the one on the right (i+1 mod N),
-- eats, and puts both back. The footman lets at most N-1 of them sit down at a time,
-- so somebody at the table can always get both forks.
--
-- Source: E. W. Dijkstra, "Hierarchical ordering of sequential processes", 1971; the
-- footman in C. A. R. Hoare, "Communicating sequential processes", 1985.
--
-- expect: N=2 safe states=7
-- expect: N=3 safe states=31
-- expect: N=4 safe states=127
-- expect: N=6 safe states=1843

const N: 3;

type PHIL:  0..N-1;
     PHASE: enum {Thinking, Seated, HasLeft, Eating};

var State:  array[PHIL] of PHASE;
    Fork:   array[PHIL] of boolean;      -- Fork[i] lies on the table, left of i
    Places: 0..N-1;                      -- seats the footman may still give away

startstate "Init"
  for i: PHIL do
    State[i] := Thinking;
    Fork[i] := true;
  end;
  Places := N-1;
end;

ruleset i: PHIL do
  rule "SitDown" State[i] = Thinking & Places > 0 ==>
  begin
    Places := Places - 1;
    State[i] := Seated;
  end;

  rule "TakeLeft" State[i] = Seated & Fork[i] ==>
  begin
    Fork[i] := false;
    State[i] := HasLeft;
  end;

  rule "TakeRight" State[i] = HasLeft & Fork[(i+1) % N] ==>
  begin
    Fork[(i+1) % N] := false;
    State[i] := Eating;
  end;

  rule "GetUp" State[i] = Eating ==>
  begin
    Fork[i] := true;
    Fork[(i+1) % N] := true;
    Places := Places + 1;
    State[i] := Thinking;
  end;
end;

invariant "Neighbours"
  forall i: PHIL do State[i] = Eating -> State[(i+1) % N] != Eating end;
