-- German's cache coherence protocol with data, with auxiliary invariants.
--
-- The protocol is that of german.m, which says how it works and where it is from. The
-- invariants below it are inductive together: each holds after a step from any state in
-- which all of them hold, whatever the number of clients. So
--
--     orbitmc induct german_inductive.m -D NODE_NUM=8 --k-max 1
--
-- proves the protocol without visiting its states.
--
-- expect: NODE_NUM=2 safe states=3390 canon=852
-- expect: NODE_NUM=3 safe states=58104 canon=5235

const NODE_NUM: 2;
      DATA_NUM: 2;

type NODE:   scalarset(NODE_NUM);
     DATA:   scalarset(DATA_NUM);
     PERMIT: enum {I, S, E};                                         -- invalid, shared, exclusive
     COMMAND: enum {Empty, ReqS, ReqE, Inv, InvAck, GntS, GntE};
     LINE:    record State: PERMIT;  Data: DATA; end;                -- Data undefined in I
     MESSAGE: record Cmd:   COMMAND; Data: DATA; end;                -- Data undefined without data

var Cache: array[NODE] of LINE;
    Chan1: array[NODE] of MESSAGE;    -- client to Home: ReqS, ReqE
    Chan2: array[NODE] of MESSAGE;    -- Home to client: GntS, GntE, Inv
    Chan3: array[NODE] of MESSAGE;    -- client to Home: InvAck
    ShrSet: array[NODE] of boolean;   -- clients that may hold a copy
    InvSet: array[NODE] of boolean;   -- clients still to be sent an Inv for CurCmd
    ExGntd: boolean;                  -- the one client in ShrSet may hold E
    CurCmd: COMMAND;                  -- the request being served, Empty if none
    CurPtr: NODE;                     -- its sender, undefined if none
    MemData: DATA;
    AuxData: DATA;                    -- ghost: the value stored last

ruleset d: DATA do startstate "Init"
  for i: NODE do
    Cache[i].State := I;    undefine Cache[i].Data;
    Chan1[i].Cmd := Empty;  undefine Chan1[i].Data;
    Chan2[i].Cmd := Empty;  undefine Chan2[i].Data;
    Chan3[i].Cmd := Empty;  undefine Chan3[i].Data;
    ShrSet[i] := false;
    InvSet[i] := false;
  end;
  ExGntd := false;
  CurCmd := Empty;
  undefine CurPtr;
  MemData := d;
  AuxData := d;
end; end;

------------------------------------------------------------------------ clients

ruleset i: NODE; d: DATA do
  rule "Store" Cache[i].State = E ==>
  begin
    Cache[i].Data := d;
    AuxData := d;
  end;
end;

ruleset i: NODE do
  rule "SendReqS" Chan1[i].Cmd = Empty & Cache[i].State = I ==>
  begin
    Chan1[i].Cmd := ReqS;
  end;

  rule "SendReqE" Chan1[i].Cmd = Empty & Cache[i].State != E ==>
  begin
    Chan1[i].Cmd := ReqE;
  end;

  rule "RecvGntS" Chan2[i].Cmd = GntS ==>
  begin
    Cache[i].State := S;
    Cache[i].Data := Chan2[i].Data;
    Chan2[i].Cmd := Empty;
    undefine Chan2[i].Data;
  end;

  rule "RecvGntE" Chan2[i].Cmd = GntE ==>
  begin
    Cache[i].State := E;
    Cache[i].Data := Chan2[i].Data;
    Chan2[i].Cmd := Empty;
    undefine Chan2[i].Data;
  end;

  rule "SendInvAck" Chan2[i].Cmd = Inv & Chan3[i].Cmd = Empty ==>
  begin
    Chan2[i].Cmd := Empty;
    Chan3[i].Cmd := InvAck;
    if Cache[i].State = E then Chan3[i].Data := Cache[i].Data; end;
    Cache[i].State := I;
    undefine Cache[i].Data;
  end;
end;

--------------------------------------------------------------------------- Home

ruleset i: NODE do
  rule "RecvReq" CurCmd = Empty & Chan1[i].Cmd != Empty ==>
  begin
    CurCmd := Chan1[i].Cmd;
    CurPtr := i;
    Chan1[i].Cmd := Empty;
    for j: NODE do InvSet[j] := ShrSet[j]; end;
  end;

  rule "SendInv"
    Chan2[i].Cmd = Empty & InvSet[i] & (CurCmd = ReqE | CurCmd = ReqS & ExGntd) ==>
  begin
    Chan2[i].Cmd := Inv;
    InvSet[i] := false;
  end;

  rule "RecvInvAck" Chan3[i].Cmd = InvAck & CurCmd != Empty ==>
  begin
    Chan3[i].Cmd := Empty;
    ShrSet[i] := false;
    if ExGntd then
      ExGntd := false;
      MemData := Chan3[i].Data;
      undefine Chan3[i].Data;
    end;
  end;

  rule "SendGntS" CurCmd = ReqS & CurPtr = i & Chan2[i].Cmd = Empty & !ExGntd ==>
  begin
    Chan2[i].Cmd := GntS;
    Chan2[i].Data := MemData;
    ShrSet[i] := true;
    CurCmd := Empty;
    undefine CurPtr;
  end;

  rule "SendGntE"
    CurCmd = ReqE & CurPtr = i & Chan2[i].Cmd = Empty & !ExGntd &
    forall j: NODE do !ShrSet[j] end ==>
  begin
    Chan2[i].Cmd := GntE;
    Chan2[i].Data := MemData;
    ShrSet[i] := true;
    ExGntd := true;
    CurCmd := Empty;
    undefine CurPtr;
  end;
end;

--------------------------------------------------------------------- properties

-- An exclusive copy excludes all others.
invariant "CtrlProp"
  forall i: NODE do forall j: NODE do
    i != j & Cache[i].State = E -> Cache[j].State = I
  end end;

-- Every copy, and memory while no client may be writing, holds the value stored last.
invariant "DataProp"
  (!ExGntd -> MemData = AuxData) &
  forall i: NODE do Cache[i].State != I -> Cache[i].Data = AuxData end;

----------------------------------------------------------- auxiliary invariants

-- What the channels and Home's registers may hold.
invariant "Requests"
  forall i: NODE do
    (Chan1[i].Cmd = Empty | Chan1[i].Cmd = ReqS | Chan1[i].Cmd = ReqE) & isundefined(Chan1[i].Data)
  end;

invariant "Grants"
  forall i: NODE do
    (Chan2[i].Cmd = Empty | Chan2[i].Cmd = Inv | Chan2[i].Cmd = GntS | Chan2[i].Cmd = GntE) &
    isundefined(Chan2[i].Data) = (Chan2[i].Cmd = Empty | Chan2[i].Cmd = Inv)
  end;

invariant "Acknowledgements"
  forall i: NODE do
    (Chan3[i].Cmd = Empty | Chan3[i].Cmd = InvAck) &
    isundefined(Chan3[i].Data) = (Chan3[i].Cmd = Empty | !ExGntd)
  end;

invariant "Serving"
  (CurCmd = Empty | CurCmd = ReqS | CurCmd = ReqE) & isundefined(CurPtr) = (CurCmd = Empty);

invariant "Lines"
  forall i: NODE do isundefined(Cache[i].Data) = (Cache[i].State = I) end;

-- Home knows every client that has a copy, or is about to have or to lose one.
invariant "Sharers"
  forall i: NODE do
    ShrSet[i] = (Cache[i].State != I | Chan2[i].Cmd != Empty | Chan3[i].Cmd != Empty)
  end;

invariant "ToInvalidate"
  forall i: NODE do InvSet[i] -> ShrSet[i] end;

-- An invalidation is sent once, for the request being served, and answered before the
-- client can get another copy.
invariant "Invalidating"
  forall i: NODE do
    (Chan2[i].Cmd = Inv | Chan3[i].Cmd = InvAck) ->
      CurCmd != Empty & !InvSet[i] & (CurCmd = ReqS -> ExGntd)
  end;

invariant "Invalidated"
  forall i: NODE do
    Chan3[i].Cmd = InvAck -> Cache[i].State = I & Chan2[i].Cmd = Empty
  end;

-- While E is granted there is one sharer, and it has E, gets it, or gives it up.
invariant "Exclusive"
  forall i: NODE do forall j: NODE do
    i != j & ExGntd & ShrSet[i] -> !ShrSet[j]
  end end;

invariant "Owner"
  forall i: NODE do
    (ExGntd -> Cache[i].State != S & Chan2[i].Cmd != GntS & (Chan2[i].Cmd = Inv -> Cache[i].State = E)) &
    (!ExGntd -> Cache[i].State != E & Chan2[i].Cmd != GntE) &
    (Cache[i].State = E -> Chan2[i].Cmd != GntE)
  end;

invariant "SomeOwner"
  ExGntd -> exists i: NODE do ShrSet[i] end;

-- No sharer is forgotten while a request is served, so that it is not served for ever.
invariant "Pending"
  forall i: NODE do
    CurCmd != Empty & ShrSet[i] ->
      InvSet[i] | Chan2[i].Cmd = Inv | Chan3[i].Cmd = InvAck
  end;

-- Every value under way is the one stored last.
invariant "DataUnderWay"
  forall i: NODE do
    (Chan2[i].Cmd = GntS | Chan2[i].Cmd = GntE -> Chan2[i].Data = AuxData) &
    (Chan3[i].Cmd = InvAck & ExGntd -> Chan3[i].Data = AuxData)
  end;
