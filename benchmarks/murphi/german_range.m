-- german.m with subranges in the place of scalarsets.
--
-- Nodes and data are only compared, assigned, quantified over and used as indices, so
-- that they are as symmetric as those of scalarsets.
--
-- expect: NODE_NUM=2 safe states=3390
-- expect: NODE_NUM=3 safe states=58104
-- expect: NODE_NUM=4 safe states=1105434

const NODE_NUM: 2;
      DATA_NUM: 2;

type NODE:   1..NODE_NUM;
     DATA:   1..DATA_NUM;
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

-- A copy of an undefined field of a scalarset is undefined, one of a range an error.
procedure Copy(var dst: DATA; var src: DATA);
begin
  if isundefined(src) then undefine dst; else dst := src; end;
end;

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
    Copy(Cache[i].Data, Chan2[i].Data);
    Chan2[i].Cmd := Empty;
    undefine Chan2[i].Data;
  end;

  rule "RecvGntE" Chan2[i].Cmd = GntE ==>
  begin
    Cache[i].State := E;
    Copy(Cache[i].Data, Chan2[i].Data);
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
      Copy(MemData, Chan3[i].Data);
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
  (!ExGntd -> !isundefined(MemData) & MemData = AuxData) &
  forall i: NODE do
    Cache[i].State != I -> !isundefined(Cache[i].Data) & Cache[i].Data = AuxData
  end;
