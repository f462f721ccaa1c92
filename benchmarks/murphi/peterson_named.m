-- Peterson's mutual exclusion of two processes that are written down by name, left
-- and right, instead of as an array: no type has interchangeable values, but
-- exchanging the two names everywhere changes nothing. Each counts its entries up to N.
--
-- Source: G. L. Peterson, "Myths about the mutual exclusion problem", IPL 1981.
--
-- expect: N=1 safe states=72
-- expect: N=3 safe states=296

const N: 3;

type
  Side: enum {Left, Right};
  Place: enum {Idle, Raised, Waiting, Critical};
var
  left, right: record
    at: Place;
    flag: boolean;
    entries: 0..N;
  end;
  turn: Side;

startstate "left first"
begin
  left.at := Idle; left.flag := false; left.entries := 0;
  right.at := Idle; right.flag := false; right.entries := 0;
  turn := Left;
end;

-- Whose turn it is at first does not matter.
startstate "right first"
begin
  left.at := Idle; left.flag := false; left.entries := 0;
  right.at := Idle; right.flag := false; right.entries := 0;
  turn := Right;
end;

rule "left raises" left.at = Idle ==> begin left.flag := true; left.at := Raised; end;
rule "right raises" right.at = Idle ==> begin right.flag := true; right.at := Raised; end;

rule "left yields" left.at = Raised ==> begin turn := Right; left.at := Waiting; end;
rule "right yields" right.at = Raised ==> begin turn := Left; right.at := Waiting; end;

rule "left enters" left.at = Waiting & (!right.flag | turn = Left) ==> begin left.at := Critical; end;
rule "right enters" right.at = Waiting & (!left.flag | turn = Right) ==> begin right.at := Critical; end;

rule "left leaves" left.at = Critical ==>
begin
  left.flag := false; left.at := Idle;
  if left.entries < N then left.entries := left.entries + 1; end;
end;
rule "right leaves" right.at = Critical ==>
begin
  right.flag := false; right.at := Idle;
  if right.entries < N then right.entries := right.entries + 1; end;
end;

invariant "mutual exclusion" !(left.at = Critical & right.at = Critical);
