-- msi_dir_bug2.m with a subrange in the place of the scalarset.
--
-- expect: NODE_NUM=2 unsafe prop="CtrlProp" depth=7
-- expect: NODE_NUM=2 unsafe prop="DirProp" depth=8
-- expect: NODE_NUM=3 unsafe prop="CtrlProp" depth=7
-- expect: NODE_NUM=3 unsafe prop="DirProp" depth=8

const NODE_NUM: 2;

type NODE:    0..NODE_NUM-1;
     COUNT:   0..NODE_NUM-1;
     LINE:    enum {I, S, M,            -- stable; below: what a node had or wants, _awaits
                    IS_D, IM_AD, SM_AD, IM_A, MI_A, SI_A, II_A};    -- D data, A acks
     REQUEST: enum {NoReq, GetS, GetM, PutM};
     FORWARD: enum {NoFwd, FwdGetS, FwdGetM, Inv, PutAck};

var State: array[NODE] of LINE;
    Need:  array[NODE] of COUNT;        -- acks still awaited in IM_A

    -- channels
    Req:  array[NODE] of REQUEST;       -- node to directory
    Done: array[NODE] of boolean;       -- node to directory: my request is served
    Fwd:  array[NODE] of record         -- directory to node
            Cmd: FORWARD;
            Who: NODE;                  -- the requester to answer; undefined in PutAck
          end;
    Data: array[NODE] of record         -- memory or owner to requester
            Full: boolean;
            Acks: COUNT;                -- the number of acks to await
          end;
    Acks: array[NODE] of COUNT;         -- InvAcks on their way to a requester

    -- directory
    Sharers: array[NODE] of boolean;    -- nodes that may hold S
    Dirty:   boolean;
    Owner:   NODE;                      -- holder of M; undefined unless Dirty
    Busy:    boolean;                   -- a request is being served

startstate "Init"
  for i: NODE do
    State[i] := I;
    Need[i] := 0;
    Req[i] := NoReq;
    Done[i] := false;
    Fwd[i].Cmd := NoFwd;    undefine Fwd[i].Who;
    Data[i].Full := false;  Data[i].Acks := 0;
    Acks[i] := 0;
    Sharers[i] := false;
  end;
  Dirty := false;
  undefine Owner;
  Busy := false;
end;

-------------------------------------------------------------------------- nodes

ruleset i: NODE do
  rule "Load" State[i] = I ==>
  begin
    Req[i] := GetS;
    State[i] := IS_D;
  end;

  rule "Store" State[i] = I | State[i] = S ==>
  begin
    Req[i] := GetM;
    if State[i] = I then State[i] := IM_AD; else State[i] := SM_AD; end;
  end;

  rule "Drop" State[i] = S ==>
  begin
    State[i] := I;
  end;

  rule "WriteBack" State[i] = M ==>
  begin
    Req[i] := PutM;
    State[i] := MI_A;
  end;

  rule "RecvFwdGetS" Fwd[i].Cmd = FwdGetS ==>
  begin
    Data[Fwd[i].Who].Full := true;
    if State[i] = M then State[i] := S; else State[i] := SI_A; end;
    Fwd[i].Cmd := NoFwd;
    undefine Fwd[i].Who;
  end;

  rule "RecvFwdGetM" Fwd[i].Cmd = FwdGetM ==>
  begin
    Data[Fwd[i].Who].Full := true;
    if State[i] = M then State[i] := I; else State[i] := II_A; end;
    Fwd[i].Cmd := NoFwd;
    undefine Fwd[i].Who;
  end;

  rule "RecvInv" Fwd[i].Cmd = Inv ==>
  begin
    Acks[Fwd[i].Who] := Acks[Fwd[i].Who] + 1;
    switch State[i]
      case S:     State[i] := I;
      case SM_AD: State[i] := IM_AD;
      case SI_A:  State[i] := II_A;
    end;                                -- otherwise the copy is gone already
    Fwd[i].Cmd := NoFwd;
    undefine Fwd[i].Who;
  end;

  rule "RecvPutAck" Fwd[i].Cmd = PutAck ==>
  begin
    State[i] := I;
    Fwd[i].Cmd := NoFwd;
  end;

  rule "RecvData" Data[i].Full ==>
  begin
    if State[i] = IS_D then
      State[i] := S;
      Done[i] := true;
    else
      State[i] := M;                    -- bug: only if Data[i].Acks = 0
      Done[i] := true;
    end;
    Data[i].Full := false;
    Data[i].Acks := 0;
  end;

  rule "RecvInvAck" State[i] = IM_A & Acks[i] > 0 ==>
  begin
    Acks[i] := Acks[i] - 1;
    Need[i] := Need[i] - 1;
    if Need[i] = 0 then
      State[i] := M;
      Done[i] := true;
    end;
  end;
end;

---------------------------------------------------------------------- directory

ruleset i: NODE do
  rule "GetS, memory answers" Req[i] = GetS & !Busy & !Dirty ==>
  begin
    Data[i].Full := true;
    Sharers[i] := true;
    Req[i] := NoReq;
    Busy := true;
  end;

  rule "GetS, owner answers" Req[i] = GetS & !Busy & Dirty ==>
  begin
    Fwd[Owner].Cmd := FwdGetS;
    Fwd[Owner].Who := i;
    Sharers[Owner] := true;
    Sharers[i] := true;
    Dirty := false;
    undefine Owner;
    Req[i] := NoReq;
    Busy := true;
  end;

  rule "GetM, memory answers" Req[i] = GetM & !Busy & !Dirty ==>
  begin
    for j: NODE do
      if j != i & Sharers[j] then
        Fwd[j].Cmd := Inv;
        Fwd[j].Who := i;
        Data[i].Acks := Data[i].Acks + 1;
      end;
      Sharers[j] := false;
    end;
    Data[i].Full := true;
    Dirty := true;
    Owner := i;
    Req[i] := NoReq;
    Busy := true;
  end;

  rule "GetM, owner answers" Req[i] = GetM & !Busy & Dirty ==>
  begin
    Fwd[Owner].Cmd := FwdGetM;
    Fwd[Owner].Who := i;
    Owner := i;
    Req[i] := NoReq;
    Busy := true;
  end;

  rule "PutM" Req[i] = PutM & !Busy ==>
  begin
    if Dirty & Owner = i then
      Dirty := false;
      undefine Owner;
    else
      Sharers[i] := false;              -- came too late: the line has moved on
    end;
    Fwd[i].Cmd := PutAck;
    Req[i] := NoReq;
  end;

  rule "RecvDone" Done[i] ==>
  begin
    Done[i] := false;
    Busy := false;
  end;
end;

--------------------------------------------------------------------- properties

-- A modified copy is the only readable one.
invariant "CtrlProp"
  forall i: NODE do forall j: NODE do
    i != j & State[i] = M -> State[j] != M & State[j] != S & State[j] != SM_AD
  end end;

-- Between two requests the directory knows all copies.
invariant "DirProp"
  !Busy -> forall i: NODE do
    (State[i] = S -> Sharers[i]) & (State[i] = M -> Dirty & !isundefined(Owner) & Owner = i)
  end;
