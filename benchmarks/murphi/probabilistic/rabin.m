-- Rabin's mutual exclusion for N processes with a shared variable of O(log N) values (Rabin, N-process mutual exclusion with
-- bounded waiting by 4 log2 N-valued shared variable, 1982): who wants to enter draws a number, once in each round, and the
-- greatest number that was drawn enters. PRISM has it as a case study, in the form that has a draw in two steps which nobody
-- comes between: one says that the process draws, and the other what.
const
  N : 3; -- processes
  K : 6; -- the greatest number: 4 + ceil(log2 N)
type
  Proc : scalarset(N);
  Number : 0..K;
  Round : 0..2;
var
  busy : boolean;  -- a process is in its critical section
  greatest : Number; -- that was drawn in this round
  round : 1..2;
  at : array [Proc] of enum {out, trying, critical};
  number : array [Proc] of Number;
  drawnIn : array [Proc] of Round;
  draws : array [Proc] of boolean;

-- the probability of number i: 1/2, 1/4, ..., and what is left for K
function chance(i : Number) : real(10, 99);
begin
  return 1.0 / (1 << (i = K ? K - 1 : i));
end;

procedure enter(p : Proc; next : Round);
begin
  round := next;
  busy := true;
  greatest := 0;
  number[p] := 0;
  drawnIn[p] := 0;
  at[p] := critical;
end;

startstate
  busy := false;
  greatest := 0;
  round := 1;
  for p : Proc do
    at[p] := out;
    number[p] := 0;
    drawnIn[p] := 0;
    draws[p] := false;
  end;
end;

ruleset p : Proc do
  rule "try" at[p] = out & !(exists q : Proc do draws[q] end) ==> at[p] := trying; end;

  rule "draw" at[p] = trying & (greatest < number[p] | round != drawnIn[p]) & !(exists q : Proc do draws[q] end) ==>
    draws[p] := true;
  end;

  distribution
    ruleset i : 1..K do
      rule "number" draws[p] ? chance(i) : 0.0 ==>
        number[p] := i;
        drawnIn[p] := round;
        if greatest < i then
          greatest := i;
        end;
        draws[p] := false;
      end;
    end;
  end;

  distribution
    ruleset next : 1..2 do
      rule "enter"
        at[p] = trying & greatest = number[p] & round = drawnIn[p] & !busy & !(exists q : Proc do draws[q] end) ? 0.5 : 0.0
      ==>
        enter(p, next);
      end;
    end;
  end;

  rule "leave" at[p] = critical & !(exists q : Proc do draws[q] end) ==> at[p] := out; busy := false; end;
end;

invariant "mutual exclusion" forall p : Proc; q : Proc do p != q -> at[p] != critical | at[q] != critical end;
