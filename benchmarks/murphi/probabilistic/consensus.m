-- The shared coin of the randomised consensus protocol of Aspnes and Herlihy (Fast randomized consensus using shared
-- memory, 1990): processes walk a counter at random until each sees it beyond one of two barriers. PRISM has it as a case
-- study (Kwiatkowska, Norman and Segala, CAV 2001), and it is one of those of the papers on PRISM-symm and GRIP.
--
-- Published: for N = 2, K = 2: Pmin=? [F all finished with heads] = 49/128, Pmax=? [F finished, and they disagree] = 13/120,
-- Emin=? [F finished] = 48, Emax=? = 75; 272 states. For N = 4: 325/1024, 170112531/577765376, 192, 363; 22656 states. For
-- N = 6: 462973/1572864, 37101798760906709/102027593703751680, 432, 867; 1258240 states. For
-- N = 8: 4744005/16777216; 61018112 states.
const
  N : 2; -- processes
  K : 2; -- how far the barriers are
type
  Proc : scalarset(N);
  Counter : 0..2 * (K + 1) * N;
  Place : enum {flip, write, look, finished};
var
  counter : Counter;
  at : array [Proc] of Place;
  heads : array [Proc] of boolean;

startstate
  counter := (K + 1) * N;
  for p : Proc do
    at[p] := flip;
    heads[p] := false;
  end;
end;

ruleset p : Proc do
  distribution
    rule "tails" at[p] = flip ? 0.5 : 0.0 ==> at[p] := write; end;
    rule "heads" at[p] = flip ? 0.5 : 0.0 ==> at[p] := write; heads[p] := true; end;
  end;

  rule "write" at[p] = write & (heads[p] ? counter < 2 * (K + 1) * N : counter > 0) ==>
    if heads[p] then
      counter := counter + 1;
    else
      counter := counter - 1;
    end;
    heads[p] := false; -- it says something again once the process has finished
    at[p] := look;
  end;

  rule "decide tails" at[p] = look & counter <= N ==> at[p] := finished; end;
  rule "decide heads" at[p] = look & counter >= 2 * (K + 1) * N - N ==> at[p] := finished; heads[p] := true; end;
  rule "flip again" at[p] = look & counter > N & counter < 2 * (K + 1) * N - N ==> at[p] := flip; end;
end;
