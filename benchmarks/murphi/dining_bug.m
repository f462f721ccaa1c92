-- Dining philosophers with a footman who miscounts.
--
-- The story: the footman gives away N places instead of N-1. Once all sit and all hold
-- the fork on their left, nobody can go on: a deadlock after 2 N steps.
--
-- Source: dining.m, which says how it is meant to work.
--
-- expect: N=2 unsafe prop="deadlock" depth=4
-- expect: N=3 unsafe prop="deadlock" depth=6
-- expect: N=4 unsafe prop="deadlock" depth=8
-- expect: N=6 unsafe prop="deadlock" depth=12

const N: 3;

type PHIL:  0..N-1;
     PHASE: enum {Thinking, Seated, HasLeft, Eating};

var State:  array[PHIL] of PHASE;
    Fork:   array[PHIL] of boolean;      -- Fork[i] lies on the table, left of i
    Places: 0..N;                        -- seats the footman may still give away

startstate "Init"
  for i: PHIL do
    State[i] := Thinking;
    Fork[i] := true;
  end;
  Places := N;      -- bug: N-1
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
