-- CSMA/CD: stations send one message each over a bus, and wait a random number of slots after a collision. Time is counted
-- in units in which a signal travels along the bus. A case study of PRISM and of the paper on PRISM-symm; the automata are
-- those of Kwiatkowska, Norman, Sproston and Wang (2007).
--
-- Published: for N = 2, K = 2: Pmax=? and Pmin=? [!collided U all delivered] = 7/8, where collided says that a station that has
-- waited longest collides once more, and Pmin=? [F some station delivers after fewer than K collisions] = 1/2; 1038 states.
-- For N = 3: 0.8596150364756961, 0.43496662487687193 and 75/128; 36850 states. For N = 2, K = 4: 1023/1024 and 63/64; 7958
-- states.
const
  N : 2;       -- stations
  K : 2;       -- collisions up to which waiting times grow
  M : 4;       -- 2 to the power of K
  SEND : 30;   -- time to send a message
  SLOT : 2;
type
  Station : scalarset(N);
  Place : enum {ready, sending, collided, waiting, sent};
var
  bus : enum {idle, busy, jammed};
  first, second : 0..2; -- since a station has sent, and since a second one has; no more than 2 matters
  at : array [Station] of Place;
  clock : array [Station] of 0..SEND;
  slots : array [Station] of 0..M - 1; -- to wait
  collisions : array [Station] of 0..K;

function power(n : 0..K) : 1..M;
var x : 1..M;
begin
  x := 1;
  for i := 1 to n do
    x := x * 2;
  end;
  return x;
end;

procedure collide(s : Station);
begin
  at[s] := collided;
  clock[s] := 0;
  if collisions[s] < K then
    collisions[s] := collisions[s] + 1;
  end;
end;

-- sends says that a station may begin to send, or finds the bus busy.
function sends(s : Station) : boolean;
begin
  return at[s] = ready | at[s] = waiting & clock[s] = SLOT & slots[s] = 0;
end;

startstate
  bus := idle;
  first := 0;
  second := 0;
  for s : Station do
    at[s] := ready;
    clock[s] := 0;
    slots[s] := 0;
    collisions[s] := 0;
  end;
end;

ruleset s : Station do
  rule "send" sends(s) & (bus = idle | first < 1) ==>
    if bus = idle then
      bus := busy;
    else
      bus := jammed;
    end;
    at[s] := sending;
    clock[s] := 0;
  end;

  rule "find the bus busy" sends(s) & bus != idle & first >= 1 ==>
    collide(s);
  end;

  rule "end" at[s] = sending & clock[s] = SEND & bus = busy ==>
    at[s] := sent;
    clock[s] := 0;
    bus := idle;
    first := 0;
  end;

  distribution
    ruleset n : 0..M - 1 do
      rule "draw" at[s] = collided & n < power(collisions[s]) ? 1.0 / power(collisions[s]) : 0.0 ==>
        at[s] := waiting;
        slots[s] := n;
      end;
    end;
  end;
end;

rule "collision" bus = jammed ==>
  bus := idle;
  first := 0;
  second := 0;
  for s : Station do
    if at[s] = sending then
      collide(s);
    end;
  end;
end;

rule "time" (bus != jammed | second < 1) &
  forall s : Station do
    at[s] = sent | at[s] = sending & clock[s] < SEND | at[s] = waiting & (clock[s] < SLOT | slots[s] > 0)
  end ==>
  if bus = idle then
    first := 0;
  else
    if first < 2 then
      first := first + 1;
    end;
    if bus = jammed then
      second := second + 1;
    end;
  end;
  for s : Station do
    switch at[s]
    case sending:
      clock[s] := clock[s] + 1;
    case waiting:
      if clock[s] < SLOT then
        clock[s] := clock[s] + 1;
      else
        clock[s] := 1;
        slots[s] := slots[s] - 1;
      end;
    case sent:
      clock[s] := 0;
    end;
  end;
end;
