-- MSI or MESI with a directory and data.
--
-- The directory serves one request at a time, until the client is done. Memory answers, or the owner does in its place,
-- and writes the line back if the client only reads. Sharers acknowledge to a writer, which counts. With EXCLUSIVE=1 a
-- reader that finds no other copy may write without asking: MESI. Shared copies are dropped silently, so an Inv may
-- come to a cache that has none; the PutM of a former owner is answered and ignored.
--
-- Source: the usual directory protocol with forwards, as in D. J. Sorin, M. D. Hill and D. A. Wood, "A primer on memory
-- consistency and cache coherence", 2011, chapter 8.

const NODE_NUM: 2;
      DATA_NUM: 2;
      EXCLUSIVE: 0;

type NODE:    scalarset(NODE_NUM);
     DATA:    scalarset(DATA_NUM);
     COUNT:   0..NODE_NUM - 1;
     LINE:    enum {I, S, E, M, IS, IM, IMA, MI, II};   -- wants S or M; IMA: awaits InvAcks; MI, II: a PutAck
     REQUEST: enum {NoReq, GetS, GetM, PutM};
     FORWARD: enum {NoFwd, FwdGetS, FwdGetM, Inv, PutAck};

var State:  array[NODE] of LINE;
    Copy:   array[NODE] of DATA;      -- undefined in I, IS, IM and II
    Need:   array[NODE] of COUNT;     -- of IMA: InvAcks to come

    -- channels
    Req:    array[NODE] of record Cmd: REQUEST; Data: DATA; end;      -- to the directory; Data of PutM
    Fwd:    array[NODE] of FORWARD;                                   -- from the directory; all but PutAck for its client
    Answer: array[NODE] of record Full: boolean; Data: DATA; Acks: COUNT; Alone: boolean; end;
    InvAck: array[NODE] of COUNT;                                     -- on their way to a writer
    Done:   array[NODE] of boolean;                                   -- to the directory: my request is served
    Back:   DATA;                                                     -- to the directory, from an owner; may be undefined

    -- the directory
    Sharer: array[NODE] of boolean;   -- who may have S
    Owner:  NODE;                     -- who may have E or M; undefined if nobody does
    Client: NODE;                     -- who is served; undefined if nobody is
    Memory: DATA;

procedure Send(p: NODE; d: DATA; acks: COUNT; alone: boolean);
begin
  Answer[p].Full := true;
  Answer[p].Data := d;
  Answer[p].Acks := acks;
  Answer[p].Alone := alone;
end;

ruleset d: DATA do startstate "Init"
  for i: NODE do
    State[i] := I;
    Need[i] := 0;
    Req[i].Cmd := NoReq;
    Fwd[i] := NoFwd;
    Answer[i].Full := false;
    Answer[i].Acks := 0;
    Answer[i].Alone := false;
    InvAck[i] := 0;
    Done[i] := false;
    Sharer[i] := false;
  end;
  Memory := d;
end; end;

------------------------------------------------------------------------- caches

ruleset i: NODE; d: DATA do
  rule "Store" State[i] = E | State[i] = M ==>
  begin
    State[i] := M;
    Copy[i] := d;
  end;
end;

ruleset i: NODE do
  rule "Ask to read" State[i] = I ==>
  begin
    State[i] := IS;
    Req[i].Cmd := GetS;
  end;

  rule "Ask to write" State[i] = I | State[i] = S ==>
  begin
    State[i] := IM;
    undefine Copy[i];
    Req[i].Cmd := GetM;
  end;

  rule "Drop" State[i] = S ==>
  begin
    State[i] := I;
    undefine Copy[i];
  end;

  rule "Evict" State[i] = E | State[i] = M ==>
  begin
    State[i] := MI;
    Req[i].Cmd := PutM;
    Req[i].Data := Copy[i];
  end;

  rule "Answer" Answer[i].Full ==>
  begin
    Copy[i] := Answer[i].Data;
    if State[i] = IM & Answer[i].Acks > 0 then
      State[i] := IMA;
      Need[i] := Answer[i].Acks;
    else
      if State[i] = IM then
        State[i] := M;
      elsif Answer[i].Alone then
        State[i] := E;
      else
        State[i] := S;
      end;
      Done[i] := true;
    end;
    Answer[i].Full := false;
    undefine Answer[i].Data;
    Answer[i].Acks := 0;
    Answer[i].Alone := false;
  end;

  rule "InvAck" State[i] = IMA & InvAck[i] > 0 ==>
  begin
    InvAck[i] := InvAck[i] - 1;
    Need[i] := Need[i] - 1;
    if Need[i] = 0 then
      State[i] := M;
      Done[i] := true;
    end;
  end;

  rule "Inv" Fwd[i] = Inv ==>
  begin
    Fwd[i] := NoFwd;
    InvAck[Client] := InvAck[Client] + 1;
    if State[i] = S then
      State[i] := I;
      undefine Copy[i];
    end;
  end;

  rule "FwdGetS" Fwd[i] = FwdGetS ==>
  begin
    Fwd[i] := NoFwd;
    Send(Client, Copy[i], 0, false);
    Back := Copy[i];
    if State[i] = MI then
      State[i] := II;
      undefine Copy[i];
    else
      State[i] := S;
    end;
  end;

  rule "FwdGetM" Fwd[i] = FwdGetM ==>
  begin
    Fwd[i] := NoFwd;
    Send(Client, Copy[i], 0, false);
    if State[i] = MI then State[i] := II; else State[i] := I; end;
    undefine Copy[i];
  end;

  rule "PutAck" Fwd[i] = PutAck ==>
  begin
    Fwd[i] := NoFwd;
    State[i] := I;
    undefine Copy[i];
  end;
end;

------------------------------------------------------------------ the directory

ruleset i: NODE do
  rule "Serve GetS" isundefined(Client) & Req[i].Cmd = GetS ==>
  begin
    Req[i].Cmd := NoReq;
    Client := i;
    if !isundefined(Owner) then
      Fwd[Owner] := FwdGetS;
      Sharer[Owner] := true;
      Sharer[i] := true;
      undefine Owner;
    elsif EXCLUSIVE = 1 & forall j: NODE do !Sharer[j] end then
      Send(i, Memory, 0, true);
      Owner := i;
    else
      Send(i, Memory, 0, false);
      Sharer[i] := true;
    end;
  end;

  rule "Serve GetM" isundefined(Client) & Req[i].Cmd = GetM ==>
  var acks: 0..NODE_NUM;
  begin
    Req[i].Cmd := NoReq;
    Client := i;
    if !isundefined(Owner) then
      Fwd[Owner] := FwdGetM;
    else
      acks := 0;
      for j: NODE do
        if j != i & Sharer[j] then
          Fwd[j] := Inv;
          acks := acks + 1;
        end;
        Sharer[j] := false;
      end;
      Send(i, Memory, acks, false);
    end;
    Owner := i;
  end;

  rule "Serve PutM" isundefined(Client) & Req[i].Cmd = PutM ==>
  begin
    if !isundefined(Owner) & Owner = i then
      Memory := Req[i].Data;
      undefine Owner;
    end;
    Sharer[i] := false;
    Req[i].Cmd := NoReq;
    undefine Req[i].Data;
    Fwd[i] := PutAck;
  end;

  rule "Done" Done[i] & isundefined(Back) ==>
  begin
    Done[i] := false;
    undefine Client;
  end;
end;

rule "Write back" !isundefined(Back) ==>
begin
  Memory := Back;
  undefine Back;
end;

-- A copy that may be written is the only one.
invariant "CtrlProp"
  forall i: NODE do forall j: NODE do
    i != j & (State[i] = M | State[i] = E) -> State[j] != S & State[j] != E & State[j] != M
  end end;
