-- The cache coherence protocol of the FLASH multiprocessor, with data.
--
-- flash.m with what the copies and messages hold.
--
-- Home keeps a directory for one line that it and NODE_NUM other nodes may cache. A
-- request goes to Home. If a node other than Home owns the line Home forwards it there
-- and is Pending until the owner has told it how that ended; otherwise Home answers
-- itself, and an exclusive copy is granted before the shared ones are known to be gone:
-- then Home is Pending until the last of them is acknowledged. While Pending it turns
-- all requests down, to be tried again. Messages may overtake one another.
--
-- Source: J. Kuskin et al., "The Stanford FLASH multiprocessor", ISCA 1994; S. Park and
-- D. Dill, "Verification of the FLASH cache coherence protocol by aggregation of
-- distributed transactions", SPAA 1996; C.-T. Chou, P. K. Mannava and S. Park, "A simple
-- method for parameterized verification of cache coherence protocols", FMCAD 2004.
--
-- expect: NODE_NUM=2 safe states=59282 canon=14921
-- expect: NODE_NUM=3 safe states=2491452 canon=216419

const NODE_NUM: 2;    -- nodes other than Home
      DATA_NUM: 2;

type NODE:    scalarset(NODE_NUM);
     DATA:    scalarset(DATA_NUM);
     PERMIT:  enum {I, S, E};                      -- invalid, shared, exclusive
     WANT:    enum {Idle, Read, Write};            -- what a processor waits for
     UNI:     enum {NoUni, Get, GetX,              -- a request, to Home
                    FwdGet, FwdGetX,               -- the same, on its way to the owner
                    PutS, PutX, Nak};               -- its answer
     INVAL:   enum {NoInv, Inv, InvAck};
     SHWB:    enum {NoShWb, ShWb, FAck};
     REQUEST: record Cmd: UNI;
                     Owner: NODE;                  -- undefined unless forwarded
                     Data: DATA; end;              -- undefined unless granted
     LINE:    record State: PERMIT;  Data: DATA; end;  -- Data undefined in I

var Cache:     array[NODE] of LINE;
    Want:      array[NODE] of WANT;
    InvMarked: array[NODE] of boolean;   -- the copy being read is to be dropped at once
    UniMsg:    array[NODE] of REQUEST;   -- the node's request, or the answer to it
    InvMsg:    array[NODE] of INVAL;     -- from Home, and back
    RpMsg:     array[NODE] of boolean;   -- to Home: a shared copy was dropped

    HomeCache: LINE;
    HomeWant:  WANT;
    HomeMsg:   REQUEST;                  -- Home's own request, or the answer to it

    Pending:   boolean;                  -- nothing else is served
    Local:     boolean;                  -- Home may have a copy
    Dirty:     boolean;                  -- some cache may be ahead of memory
    HeadVld:   boolean;                  -- HeadPtr may have a copy
    HeadPtr:   NODE;                     -- undefined unless HeadVld
    ShrVld:    boolean;                  -- so may those in ShrSet
    ShrSet:    array[NODE] of boolean;
    InvSet:    array[NODE] of boolean;   -- nodes that are to acknowledge an Inv

    WbMsg:     boolean;                  -- to Home: an owner gave the line back
    ShWbMsg:   SHWB;                     -- to Home: a forwarded Get or GetX was granted
    ShWbPtr:   NODE;                     -- to this node; undefined if NoShWb
    NakcMsg:   boolean;                  -- to Home: a forwarded request was turned down

    MemData:   DATA;
    WbData:    DATA;                     -- of WbMsg, undefined without
    ShWbData:  DATA;                     -- of ShWb, undefined otherwise
    CurrData:  DATA;                     -- ghost: the value stored last
    PrevData:  DATA;                     -- ghost: what it was when the Invs that are to be
                                         -- acknowledged were sent; undefined if none are

ruleset d: DATA do startstate "Init"
  for n: NODE do
    Cache[n].State := I;
    undefine Cache[n].Data;
    Want[n] := Idle;
    InvMarked[n] := false;
    UniMsg[n].Cmd := NoUni;
    undefine UniMsg[n].Owner;
    undefine UniMsg[n].Data;
    InvMsg[n] := NoInv;
    RpMsg[n] := false;
    ShrSet[n] := false;
    InvSet[n] := false;
  end;
  HomeCache.State := I;
  undefine HomeCache.Data;
  HomeWant := Idle;
  HomeMsg.Cmd := NoUni;
  undefine HomeMsg.Owner;
  undefine HomeMsg.Data;
  Pending := false;
  Local := false;
  Dirty := false;
  HeadVld := false;
  undefine HeadPtr;
  ShrVld := false;
  WbMsg := false;
  ShWbMsg := NoShWb;
  undefine ShWbPtr;
  NakcMsg := false;
  MemData := d;
  undefine WbData;
  undefine ShWbData;
  CurrData := d;
  undefine PrevData;
end; end;

--------------------------------------------------------------------- processors

ruleset n: NODE; d: DATA do
  rule "Store" Cache[n].State = E ==>
  begin
    Cache[n].Data := d;
    CurrData := d;
  end;
end;

ruleset n: NODE do
  rule "Read" Want[n] = Idle & Cache[n].State = I ==>
  begin
    Want[n] := Read;
    UniMsg[n].Cmd := Get;
  end;

  rule "Write" Want[n] = Idle & Cache[n].State = I ==>
  begin
    Want[n] := Write;
    UniMsg[n].Cmd := GetX;
  end;

  rule "WriteBack" Want[n] = Idle & Cache[n].State = E ==>
  begin
    WbMsg := true;
    WbData := Cache[n].Data;
    Cache[n].State := I;
    undefine Cache[n].Data;
  end;

  rule "Replace" Want[n] = Idle & Cache[n].State = S ==>
  begin
    Cache[n].State := I;
    undefine Cache[n].Data;
    RpMsg[n] := true;
  end;
end;

ruleset d: DATA do
  rule "HomeStore" HomeCache.State = E ==>
  begin
    HomeCache.Data := d;
    CurrData := d;
  end;
end;

rule "HomeRead" HomeWant = Idle & HomeCache.State = I & !Pending ==>
begin
  if Dirty then
    HomeWant := Read;
    HomeMsg.Cmd := FwdGet;
    HomeMsg.Owner := HeadPtr;
    Pending := true;
  else
    HomeCache.State := S;
    HomeCache.Data := MemData;
    Local := true;
  end;
end;

rule "HomeWrite" HomeWant = Idle & HomeCache.State != E & !Pending ==>
begin
  if Dirty then
    HomeWant := Write;
    HomeMsg.Cmd := FwdGetX;
    HomeMsg.Owner := HeadPtr;
    Pending := true;
  else
    if HeadVld then PrevData := CurrData; end;
    for n: NODE do
      if HeadVld & HeadPtr = n | ShrVld & ShrSet[n] then
        InvSet[n] := true;
        InvMsg[n] := Inv;
      end;
      ShrSet[n] := false;
    end;
    Pending := HeadVld;
    Local := true;
    Dirty := true;
    HeadVld := false;
    undefine HeadPtr;
    ShrVld := false;
    HomeCache.State := E;
    HomeCache.Data := MemData;
  end;
end;

rule "HomeWriteBack" HomeWant = Idle & HomeCache.State = E ==>
begin
  MemData := HomeCache.Data;
  HomeCache.State := I;
  undefine HomeCache.Data;
  Dirty := false;
  if !Pending then Local := false; end;
end;

rule "HomeReplace" HomeWant = Idle & HomeCache.State = S ==>
begin
  HomeCache.State := I;
  undefine HomeCache.Data;
  Local := false;
end;

-------------------------------------------------------------- requests, at Home

ruleset n: NODE do
  rule "TurnDown"
    (UniMsg[n].Cmd = Get & !RpMsg[n] | UniMsg[n].Cmd = GetX) &
    (Pending | Dirty & (Local ? HomeCache.State != E : HeadPtr = n)) ==>
  begin
    UniMsg[n].Cmd := Nak;
  end;

  rule "ForwardGet"
    UniMsg[n].Cmd = Get & !RpMsg[n] & !Pending & Dirty & !Local & HeadPtr != n ==>
  begin
    UniMsg[n].Cmd := FwdGet;
    UniMsg[n].Owner := HeadPtr;
    Pending := true;
  end;

  rule "ForwardGetX"
    UniMsg[n].Cmd = GetX & !Pending & Dirty & !Local & HeadPtr != n ==>
  begin
    UniMsg[n].Cmd := FwdGetX;
    UniMsg[n].Owner := HeadPtr;
    Pending := true;
  end;

  rule "ServeGet"
    UniMsg[n].Cmd = Get & !RpMsg[n] & !Pending & (Dirty -> Local & HomeCache.State = E) ==>
  begin
    UniMsg[n].Cmd := PutS;
    if HeadVld then
      ShrVld := true;
      ShrSet[n] := true;
    else
      HeadVld := true;
      HeadPtr := n;
    end;
    if Dirty then
      Dirty := false;
      HomeCache.State := S;
      MemData := HomeCache.Data;
    end;
    UniMsg[n].Data := MemData;
  end;

  rule "ServeGetX"
    UniMsg[n].Cmd = GetX & !Pending & (Dirty -> Local & HomeCache.State = E) ==>
  begin
    UniMsg[n].Cmd := PutX;
    if Dirty then
      UniMsg[n].Data := HomeCache.Data;
    else
      UniMsg[n].Data := MemData;
    end;
    for m: NODE do
      if m != n & (HeadVld & HeadPtr = m | ShrVld & ShrSet[m]) then
        InvSet[m] := true;
        InvMsg[m] := Inv;
        Pending := true;
        PrevData := CurrData;
      end;
      ShrSet[m] := false;
    end;
    Local := false;
    Dirty := true;
    HeadVld := true;
    HeadPtr := n;
    ShrVld := false;
    HomeCache.State := I;
    undefine HomeCache.Data;
  end;
end;

--------------------------------------------------------- requests, at the owner

ruleset n: NODE; o: NODE do
  rule "OwnerGet" UniMsg[n].Cmd = FwdGet & UniMsg[n].Owner = o ==>
  begin
    undefine UniMsg[n].Owner;
    if Cache[o].State = E then
      Cache[o].State := S;
      UniMsg[n].Cmd := PutS;
      UniMsg[n].Data := Cache[o].Data;
      ShWbMsg := ShWb;
      ShWbPtr := n;
      ShWbData := Cache[o].Data;
    else
      UniMsg[n].Cmd := Nak;
      NakcMsg := true;
    end;
  end;

  rule "OwnerGetX" UniMsg[n].Cmd = FwdGetX & UniMsg[n].Owner = o ==>
  begin
    undefine UniMsg[n].Owner;
    if Cache[o].State = E then
      UniMsg[n].Cmd := PutX;
      UniMsg[n].Data := Cache[o].Data;
      Cache[o].State := I;
      undefine Cache[o].Data;
      ShWbMsg := FAck;
      ShWbPtr := n;
    else
      UniMsg[n].Cmd := Nak;
      NakcMsg := true;
    end;
  end;
end;

ruleset o: NODE do
  rule "OwnerHomeGet" HomeMsg.Cmd = FwdGet & HomeMsg.Owner = o ==>
  begin
    undefine HomeMsg.Owner;
    if Cache[o].State = E then
      Cache[o].State := S;
      HomeMsg.Cmd := PutS;
      HomeMsg.Data := Cache[o].Data;
    else
      HomeMsg.Cmd := Nak;
      NakcMsg := true;
    end;
  end;

  rule "OwnerHomeGetX" HomeMsg.Cmd = FwdGetX & HomeMsg.Owner = o ==>
  begin
    undefine HomeMsg.Owner;
    if Cache[o].State = E then
      HomeMsg.Cmd := PutX;
      HomeMsg.Data := Cache[o].Data;
      Cache[o].State := I;
      undefine Cache[o].Data;
    else
      HomeMsg.Cmd := Nak;
      NakcMsg := true;
    end;
  end;
end;

------------------------------------------------------------------------ answers

ruleset n: NODE do
  rule "RecvNak" UniMsg[n].Cmd = Nak ==>
  begin
    UniMsg[n].Cmd := NoUni;
    Want[n] := Idle;
    InvMarked[n] := false;
  end;

  rule "RecvPut" UniMsg[n].Cmd = PutS ==>
  begin
    UniMsg[n].Cmd := NoUni;
    Want[n] := Idle;
    if !InvMarked[n] then
      Cache[n].State := S;
      Cache[n].Data := UniMsg[n].Data;
    end;
    undefine UniMsg[n].Data;
    InvMarked[n] := false;
  end;

  rule "RecvPutX" UniMsg[n].Cmd = PutX ==>
  begin
    UniMsg[n].Cmd := NoUni;
    Want[n] := Idle;
    Cache[n].State := E;
    Cache[n].Data := UniMsg[n].Data;
    undefine UniMsg[n].Data;
  end;

  rule "RecvInv" InvMsg[n] = Inv ==>
  begin
    InvMsg[n] := InvAck;
    Cache[n].State := I;
    undefine Cache[n].Data;
    if Want[n] = Read then InvMarked[n] := true; end;
  end;
end;

rule "HomeRecvNak" HomeMsg.Cmd = Nak ==>
begin
  HomeMsg.Cmd := NoUni;
  HomeWant := Idle;
end;

rule "HomeRecvPut" HomeMsg.Cmd = PutS ==>
begin
  HomeMsg.Cmd := NoUni;
  HomeWant := Idle;
  HomeCache.State := S;
  HomeCache.Data := HomeMsg.Data;
  MemData := HomeMsg.Data;
  undefine HomeMsg.Data;
  Pending := false;
  Local := true;
  Dirty := false;
end;

rule "HomeRecvPutX" HomeMsg.Cmd = PutX ==>
begin
  HomeMsg.Cmd := NoUni;
  HomeWant := Idle;
  HomeCache.State := E;
  HomeCache.Data := HomeMsg.Data;
  undefine HomeMsg.Data;
  Pending := false;
  Local := true;
  HeadVld := false;
  undefine HeadPtr;
end;

------------------------------------------------- what Home is told by the others

ruleset n: NODE do
  rule "RecvInvAck" InvMsg[n] = InvAck & Pending & InvSet[n] ==>
  begin
    InvMsg[n] := NoInv;
    InvSet[n] := false;
    if forall m: NODE do !InvSet[m] end then
      Pending := false;
      undefine PrevData;
      if !Dirty then Local := false; end;
    end;
  end;

  rule "RecvReplace" RpMsg[n] ==>
  begin
    RpMsg[n] := false;
    if ShrVld then ShrSet[n] := false; end;
  end;
end;

rule "RecvWriteBack" WbMsg ==>
begin
  WbMsg := false;
  MemData := WbData;
  undefine WbData;
  Dirty := false;
  HeadVld := false;
  undefine HeadPtr;
end;

rule "RecvShWb" ShWbMsg = ShWb ==>
begin
  Pending := false;
  Dirty := false;
  ShrVld := true;
  ShrSet[ShWbPtr] := true;
  MemData := ShWbData;
  ShWbMsg := NoShWb;
  undefine ShWbPtr;
  undefine ShWbData;
end;

rule "RecvFAck" ShWbMsg = FAck ==>
begin
  Pending := false;
  if Dirty then HeadPtr := ShWbPtr; end;
  ShWbMsg := NoShWb;
  undefine ShWbPtr;
end;

rule "RecvNakc" NakcMsg ==>
begin
  NakcMsg := false;
  Pending := false;
end;

--------------------------------------------------------------------- properties

-- At most one copy is exclusive.
invariant "CtrlProp"
  forall n: NODE do
    Cache[n].State = E -> HomeCache.State != E & forall m: NODE do m != n -> Cache[m].State != E end
  end;

-- Beside an exclusive copy there are shared ones only while Home is Pending.
invariant "SharedProp"
  !Pending ->
    (HomeCache.State = E -> forall n: NODE do Cache[n].State = I end) &
    forall n: NODE do
      Cache[n].State = E -> HomeCache.State = I & forall m: NODE do m != n -> Cache[m].State = I end
    end;

-- Unless Dirty, memory holds the value stored last.
invariant "MemProp"
  !Dirty ->
    MemData = CurrData & HomeCache.State != E & !WbMsg &
    forall n: NODE do Cache[n].State != E end;

-- So does every copy, but for shared ones that are being invalidated.
invariant "DataProp"
  (HomeCache.State = E -> HomeCache.Data = CurrData) &
  (HomeCache.State = S -> HomeCache.Data = (isundefined(PrevData) ? CurrData : PrevData)) &
  forall n: NODE do
    (Cache[n].State = E -> Cache[n].Data = CurrData) &
    (Cache[n].State = S -> Cache[n].Data = (isundefined(PrevData) ? CurrData : PrevData))
  end;
