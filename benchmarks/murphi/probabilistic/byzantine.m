-- Two rounds of the randomised Byzantine agreement of Cachin, Kursawe and Shoup (Random oracles in Constantinople, PODC 2000).
-- Kwiatkowska and Norman (Verifying randomized Byzantine agreement, FORTE 2002) have it as a case study of PRISM, as an
-- abstraction that shows fast convergence: from the start of a round, with probability at least 1/2 all honest parties have
-- the same pre-vote in the next one. The main votes of the round before are yes or abstain: main votes for two values cannot
-- both be justified. A dishonest party sends any votes that it can justify, others to each party. A party waits for votes of
-- a quorum of parties, and the scheduler chooses which.
const
  T : 1;               -- dishonest parties, of 3T + 1
  Quorum : 2 * T + 1;  -- as many votes are waited for, and as many parties are honest
  none : 0; yes : 1; no : 2; abstain : 3;
type
  Party : scalarset(Quorum);
  Vote : none..abstain;
  Stage : enum {before, pre, main, next}; -- main votes of the round before, pre-votes, main votes, pre-votes of the next round
var
  vote : array [Stage] of array [Party] of Vote;
  coin : array [Stage] of Vote; -- of the round before and of this one; none until it is known

-- how many honest parties have cast a vote
function honest(s : Stage; v : Vote) : 0..Quorum;
var n : 0..Quorum;
begin
  n := 0;
  for p : Party do
    if vote[s][p] = v then n := n + 1; end;
  end;
  return n;
end;

-- with the votes of dishonest parties, a quorum has voted v
function quorum(s : Stage; v : Vote) : boolean;
begin return honest(s, v) + T >= Quorum; end;

function allVoted() : boolean;
begin return honest(before, none) = 0; end;

-- somebody has, or may have, a pre-vote for a value: for yes by a main vote for it, for the coin if a quorum abstained
function preVoted(v : Vote) : boolean;
begin return v = yes | honest(pre, v) > 0 | coin[before] = v & quorum(before, abstain); end;

-- a main vote for a value can be justified: by pre-votes of a quorum
function elected(v : Vote) : boolean;
begin return preVoted(v) & quorum(pre, v); end;

-- pre-votes of a quorum are there, and both values among them
function mixed() : boolean;
begin return preVoted(yes) & preVoted(no) & honest(pre, yes) + honest(pre, no) + T >= Quorum; end;

startstate
  for s : Stage do
    for p : Party do vote[s][p] := none; end;
    coin[s] := none;
  end;
end;

ruleset p : Party do
  rule "it voted" vote[before][p] = none ==> vote[before][p] := yes; end;
  rule "it abstained" vote[before][p] = none ==> vote[before][p] := abstain; end;

  rule "pre-vote" allVoted() & vote[pre][p] = none ==> vote[pre][p] := yes; end;
  rule "pre-vote by coin" allVoted() & vote[pre][p] = none & coin[before] != none & quorum(before, abstain) ==>
    vote[pre][p] := coin[before];
  end;

  ruleset v : yes..no do
    rule "main vote" vote[pre][p] != none & vote[main][p] = none & elected(v) ==> vote[main][p] := v; end;
    rule "next pre-vote"
      vote[main][p] != none & vote[next][p] = none & honest(main, none) <= T & (honest(main, v) > 0 | elected(v))
    ==>
      vote[next][p] := v;
    end;
  end;
  rule "abstain" vote[pre][p] != none & vote[main][p] = none & mixed() ==> vote[main][p] := abstain; end;
  rule "next pre-vote by coin" vote[main][p] != none & vote[next][p] = none & coin[main] != none & quorum(main, abstain) & mixed() ==>
    vote[next][p] := coin[main];
  end;
end;

-- a coin is known once a quorum has given its shares: with the main votes
distribution
  ruleset c : yes..no do
    rule "coin before" allVoted() & coin[before] = none ? 0.5 : 0.0 ==> coin[before] := c; end;
  end;
end;
distribution
  ruleset c : yes..no do
    rule "coin" honest(main, none) <= T & coin[main] = none ? 0.5 : 0.0 ==> coin[main] := c; end;
  end;
end;

invariant "main votes are for one value" honest(main, yes) = 0 | honest(main, no) = 0;
