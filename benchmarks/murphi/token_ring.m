-- A token ring over unreliable links.
--
-- Whoever has the token may enter the critical section, or hand the token on to the
-- next node of the ring. Links lose messages, so a sender repeats the token until it is
-- acknowledged; an alternating bit tells a repeated token from a new one. The ring is
-- arithmetic modulo N on a subrange: its symmetries are the rotations, nothing else.
--
-- Source: G. Le Lann, "Distributed systems: towards a formal approach", IFIP 1977; the
-- alternating bit in K. Bartlett, R. Scantlebury and P. Wilkinson, CACM 1969.
--
-- expect: N=2 safe states=3248
-- expect: N=3 safe states=102312

const N: 3;

type NODE:    0..N-1;
     PHASE:   enum {Noncritical, Trying, Critical};
     MESSAGE: record Full: boolean; Bit: boolean; end;    -- Bit is false in an empty one

var State: array[NODE] of PHASE;
    Token: array[NODE] of boolean;
    Busy:  array[NODE] of boolean;    -- handed the token on, not acknowledged yet
    Sent:  array[NODE] of boolean;    -- bit of the token sent last
    Got:   array[NODE] of boolean;    -- bit of the token accepted last
    Link:  array[NODE] of MESSAGE;    -- tokens from i to its successor
    Ack:   array[NODE] of MESSAGE;    -- acknowledgements from the successor to i

ruleset first: NODE do startstate "Init"
  for i: NODE do
    State[i] := Noncritical;
    Token[i] := (i = first);
    Busy[i] := false;
    Sent[i] := false;
    Got[i] := false;
    Link[i].Full := false;  Link[i].Bit := false;
    Ack[i].Full := false;   Ack[i].Bit := false;
  end;
end; end;

ruleset i: NODE do
  rule "Try" State[i] = Noncritical ==>
  begin
    State[i] := Trying;
  end;

  rule "Enter" State[i] = Trying & Token[i] ==>
  begin
    State[i] := Critical;
  end;

  rule "Leave" State[i] = Critical ==>
  begin
    State[i] := Noncritical;
  end;

  rule "SendToken" Token[i] & State[i] != Critical & !Busy[i] & !Link[i].Full ==>
  begin
    Token[i] := false;
    Busy[i] := true;
    Sent[i] := !Sent[i];
    Link[i].Full := true;
    Link[i].Bit := Sent[i];
  end;

  rule "Timeout" Busy[i] & !Link[i].Full ==>
  begin
    Link[i].Full := true;
    Link[i].Bit := Sent[i];
  end;

  rule "RecvToken" Link[i].Full & !Ack[i].Full ==>
  begin
    if Link[i].Bit != Got[(i+1) % N] then
      Got[(i+1) % N] := Link[i].Bit;
      Token[(i+1) % N] := true;
    end;
    Ack[i].Full := true;
    Ack[i].Bit := Link[i].Bit;
    Link[i].Full := false;
    Link[i].Bit := false;
  end;

  rule "RecvAck" Ack[i].Full ==>
  begin
    if Ack[i].Bit = Sent[i] then Busy[i] := false; end;
    Ack[i].Full := false;
    Ack[i].Bit := false;
  end;

  rule "LoseToken" Link[i].Full ==>
  begin
    Link[i].Full := false;
    Link[i].Bit := false;
  end;

  rule "LoseAck" Ack[i].Full ==>
  begin
    Ack[i].Full := false;
    Ack[i].Bit := false;
  end;
end;

invariant "Mutex"
  forall i: NODE do forall j: NODE do
    i != j & State[i] = Critical -> State[j] != Critical
  end end;

invariant "OneToken"
  forall i: NODE do forall j: NODE do i != j & Token[i] -> !Token[j] end end;
