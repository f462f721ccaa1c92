-- A scalarset that is none.
--
-- An arbiter serves the requesting nodes one by one; each request is Gold or Silver. The
-- loop in Grant picks the last requester in loop order, so the winner is decided by its
-- index. Yet NODE is declared a scalarset, which promises that the index plays no part.
-- A log keeps whether a gold request was ever preferred to a silver one, and the other
-- way round. Both happen, as indices know nothing of metal: "Ranked" is violated.
--
-- A tool that trusts the declaration and sorts its states calls the model error-free:
-- in sorted states the winner by index is always the winner by metal. The verdict below
-- is the true one, got without symmetry reduction.
--
-- Source: the obligation on scalarset loops in C. N. Ip and D. L. Dill, "Better
-- verification through symmetry", FMSD 1996.
--
-- expect: N=2 unsafe prop="Ranked" depth=7
-- expect: N=3 unsafe prop="Ranked" depth=5
-- expect: N=4 unsafe prop="Ranked" depth=5

const N: 2;

type NODE:  scalarset(N);
     METAL: enum {Silver, Gold};

var Req:  array[NODE] of boolean;
    Kind: array[NODE] of METAL;
    GoldFirst:   boolean;             -- a gold request was preferred to a silver one
    SilverFirst: boolean;             -- a silver request was preferred to a gold one

startstate "Init"
  for i: NODE do
    Req[i] := false;
    Kind[i] := Silver;
  end;
  GoldFirst := false;
  SilverFirst := false;
end;

ruleset i: NODE do
  rule "Request silver" !Req[i] ==>
  begin
    Req[i] := true;
  end;

  rule "Request gold" !Req[i] ==>
  begin
    Req[i] := true;
    Kind[i] := Gold;
  end;
end;

rule "Grant" exists i: NODE do Req[i] end ==>
var winner: NODE;
begin
  for i: NODE do
    if Req[i] then winner := i; end;          -- the last one wins: not symmetric
  end;
  for i: NODE do
    if Req[i] & Kind[i] != Kind[winner] then
      if Kind[winner] = Gold then GoldFirst := true; else SilverFirst := true; end;
    end;
  end;
  Req[winner] := false;
  Kind[winner] := Silver;
end;

invariant "Ranked"
  !(GoldFirst & SilverFirst);
