-- German's cache coherence protocol with data.
--
-- Home grants shared or exclusive copies of one line to NODE_NUM clients. Each client
-- talks to Home over three one-place channels: Chan1 carries its requests, Chan2 the
-- grants and invalidations from Home, Chan3 its acknowledgements. Home serves one
-- request (CurCmd, CurPtr) at a time and invalidates whoever stands in its way.
--
-- Source: S. German's protocol as published by C.-T. Chou, P. K. Mannava and S. Park,
-- "A simple method for parameterized verification of cache coherence protocols",
-- FMCAD 2004, and A. Pnueli, S. Ruah and L. Zuck, TACAS 2001.
--
-- expect: NODE_NUM=2 safe states=3390 canon=852
-- expect: NODE_NUM=3 safe states=58104 canon=5235
-- expect: NODE_NUM=4 safe states=1105434 canon=28088

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

-- Every request for an exclusive copy is granted. Home may prefer others for ever: weak fairness is not enough.
--@ ltl served: forall p: NODE: G (Chan1[p].Cmd = ReqE -> F Cache[p].State = E)
