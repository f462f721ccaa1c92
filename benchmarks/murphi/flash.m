-- The cache coherence protocol of the FLASH multiprocessor, without data.
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
-- expect: NODE_NUM=2 safe states=17534 canon=8834
-- expect: NODE_NUM=3 safe states=684695 canon=119216

const NODE_NUM: 2;    -- nodes other than Home

type NODE:    scalarset(NODE_NUM);
     PERMIT:  enum {I, S, E};                      -- invalid, shared, exclusive
     WANT:    enum {Idle, Read, Write};            -- what a processor waits for
     UNI:     enum {NoUni, Get, GetX,              -- a request, to Home
                    FwdGet, FwdGetX,               -- the same, on its way to the owner
                    PutS, PutX, Nak};               -- its answer
     INVAL:   enum {NoInv, Inv, InvAck};
     SHWB:    enum {NoShWb, ShWb, FAck};
     REQUEST: record Cmd: UNI;  Owner: NODE; end;  -- Owner undefined unless forwarded

var Cache:     array[NODE] of PERMIT;
    Want:      array[NODE] of WANT;
    InvMarked: array[NODE] of boolean;   -- the copy being read is to be dropped at once
    UniMsg:    array[NODE] of REQUEST;   -- the node's request, or the answer to it
    InvMsg:    array[NODE] of INVAL;     -- from Home, and back
    RpMsg:     array[NODE] of boolean;   -- to Home: a shared copy was dropped

    HomeCache: PERMIT;
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

startstate "Init"
  for n: NODE do
    Cache[n] := I;
    Want[n] := Idle;
    InvMarked[n] := false;
    UniMsg[n].Cmd := NoUni;
    undefine UniMsg[n].Owner;
    InvMsg[n] := NoInv;
    RpMsg[n] := false;
    ShrSet[n] := false;
    InvSet[n] := false;
  end;
  HomeCache := I;
  HomeWant := Idle;
  HomeMsg.Cmd := NoUni;
  undefine HomeMsg.Owner;
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
end;

--------------------------------------------------------------------- processors

ruleset n: NODE do
  rule "Read" Want[n] = Idle & Cache[n] = I ==>
  begin
    Want[n] := Read;
    UniMsg[n].Cmd := Get;
  end;

  rule "Write" Want[n] = Idle & Cache[n] = I ==>
  begin
    Want[n] := Write;
    UniMsg[n].Cmd := GetX;
  end;

  rule "WriteBack" Want[n] = Idle & Cache[n] = E ==>
  begin
    Cache[n] := I;
    WbMsg := true;
  end;

  rule "Replace" Want[n] = Idle & Cache[n] = S ==>
  begin
    Cache[n] := I;
    RpMsg[n] := true;
  end;
end;

rule "HomeRead" HomeWant = Idle & HomeCache = I & !Pending ==>
begin
  if Dirty then
    HomeWant := Read;
    HomeMsg.Cmd := FwdGet;
    HomeMsg.Owner := HeadPtr;
    Pending := true;
  else
    HomeCache := S;
    Local := true;
  end;
end;

rule "HomeWrite" HomeWant = Idle & HomeCache != E & !Pending ==>
begin
  if Dirty then
    HomeWant := Write;
    HomeMsg.Cmd := FwdGetX;
    HomeMsg.Owner := HeadPtr;
    Pending := true;
  else
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
    HomeCache := E;
  end;
end;

rule "HomeWriteBack" HomeWant = Idle & HomeCache = E ==>
begin
  HomeCache := I;
  Dirty := false;
  if !Pending then Local := false; end;
end;

rule "HomeReplace" HomeWant = Idle & HomeCache = S ==>
begin
  HomeCache := I;
  Local := false;
end;

-------------------------------------------------------------- requests, at Home

ruleset n: NODE do
  rule "TurnDown"
    (UniMsg[n].Cmd = Get & !RpMsg[n] | UniMsg[n].Cmd = GetX) &
    (Pending | Dirty & (Local ? HomeCache != E : HeadPtr = n)) ==>
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
    UniMsg[n].Cmd = Get & !RpMsg[n] & !Pending & (Dirty -> Local & HomeCache = E) ==>
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
      HomeCache := S;
    end;
  end;

  rule "ServeGetX"
    UniMsg[n].Cmd = GetX & !Pending & (Dirty -> Local & HomeCache = E) ==>
  begin
    UniMsg[n].Cmd := PutX;
    for m: NODE do
      if m != n & (HeadVld & HeadPtr = m | ShrVld & ShrSet[m]) then
        InvSet[m] := true;
        InvMsg[m] := Inv;
        Pending := true;
      end;
      ShrSet[m] := false;
    end;
    Local := false;
    Dirty := true;
    HeadVld := true;
    HeadPtr := n;
    ShrVld := false;
    HomeCache := I;
  end;
end;

--------------------------------------------------------- requests, at the owner

ruleset n: NODE; o: NODE do
  rule "OwnerGet" UniMsg[n].Cmd = FwdGet & UniMsg[n].Owner = o ==>
  begin
    undefine UniMsg[n].Owner;
    if Cache[o] = E then
      Cache[o] := S;
      UniMsg[n].Cmd := PutS;
      ShWbMsg := ShWb;
      ShWbPtr := n;
    else
      UniMsg[n].Cmd := Nak;
      NakcMsg := true;
    end;
  end;

  rule "OwnerGetX" UniMsg[n].Cmd = FwdGetX & UniMsg[n].Owner = o ==>
  begin
    undefine UniMsg[n].Owner;
    if Cache[o] = E then
      Cache[o] := I;
      UniMsg[n].Cmd := PutX;
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
    if Cache[o] = E then
      Cache[o] := S;
      HomeMsg.Cmd := PutS;
    else
      HomeMsg.Cmd := Nak;
      NakcMsg := true;
    end;
  end;

  rule "OwnerHomeGetX" HomeMsg.Cmd = FwdGetX & HomeMsg.Owner = o ==>
  begin
    undefine HomeMsg.Owner;
    if Cache[o] = E then
      Cache[o] := I;
      HomeMsg.Cmd := PutX;
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
    if !InvMarked[n] then Cache[n] := S; end;
    InvMarked[n] := false;
  end;

  rule "RecvPutX" UniMsg[n].Cmd = PutX ==>
  begin
    UniMsg[n].Cmd := NoUni;
    Want[n] := Idle;
    Cache[n] := E;
  end;

  rule "RecvInv" InvMsg[n] = Inv ==>
  begin
    InvMsg[n] := InvAck;
    Cache[n] := I;
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
  HomeCache := S;
  Pending := false;
  Local := true;
  Dirty := false;
end;

rule "HomeRecvPutX" HomeMsg.Cmd = PutX ==>
begin
  HomeMsg.Cmd := NoUni;
  HomeWant := Idle;
  HomeCache := E;
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
  ShWbMsg := NoShWb;
  undefine ShWbPtr;
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
    Cache[n] = E -> HomeCache != E & forall m: NODE do m != n -> Cache[m] != E end
  end;

-- Beside an exclusive copy there are shared ones only while Home is Pending.
invariant "SharedProp"
  !Pending ->
    (HomeCache = E -> forall n: NODE do Cache[n] = I end) &
    forall n: NODE do
      Cache[n] = E -> HomeCache = I & forall m: NODE do m != n -> Cache[m] = I end
    end;

-- Memory is ahead of no cache, and behind none, unless Dirty.
invariant "MemProp"
  !Dirty -> HomeCache != E & !WbMsg & forall n: NODE do Cache[n] != E end;

-- Every request for an exclusive copy is granted, or turned down. Home may serve others for ever: weak fairness is not
-- enough.
--@ ltl served: forall n: NODE: G (Want[n] = Write -> F Want[n] = Idle)
