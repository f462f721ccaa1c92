-- MSI with a directory over an unordered network.
--
-- Caches and the home of the line, which holds the directory, send each other messages
-- that may overtake one another. The home serves one request at a time and is busy until
-- the requester acknowledges. A line is handed over by the home: it recalls the line from
-- its owner or invalidates the sharers, and counts the answers. A dropped copy is not
-- reported, so the home may ask for copies that are gone. Data values are left out.
--
-- Source: the usual directory protocol, as in D. J. Sorin, M. D. Hill and D. A. Wood, "A
-- primer on memory consistency and cache coherence", 2011, chapter 8.
--
-- expect: NODE_NUM=2 safe states=212 canon=110
-- expect: NODE_NUM=3 safe states=2690 canon=520
-- expect: NODE_NUM=4 safe states=35592 canon=2030

const NODE_NUM: 2;
      NetSize:  2 * NODE_NUM - 1;

type PROC: scalarset(NODE_NUM);
     HOME: enum {Directory};
     NODE: union {HOME, PROC};

     COUNT:   0..NODE_NUM;
     KIND:    enum {GetS, GetM, PutM, Done,           -- to the home
                    Inv, Recall, PutAck,              -- from the home
                    InvAck, WriteBack,                -- to the home, when asked
                    Data};
     MESSAGE: record
       Kind: KIND;
       Src:  NODE;
       Dst:  NODE;
     end;

     LINE:  enum {I, S, M, IS, IM, MI};               -- XY: has X, wants Y
     STATE: enum {Idle, Invalidating, Recalling, Granting};

var Cache: array[PROC] of LINE;
    Net:   multiset[NetSize] of MESSAGE;

    -- the home
    State:   STATE;
    Sharers: multiset[NODE_NUM] of PROC;              -- who may hold S
    Owner:   NODE;                                    -- who holds M, or the home
    Client:  PROC;                                    -- who is served; undefined when Idle
    Writes:  boolean;                                 -- the client asked for M
    Pending: COUNT;                                   -- InvAcks to come

procedure Send(kind: KIND; from: NODE; dest: NODE);
var m: MESSAGE;
begin
  m.Kind := kind;
  m.Src := from;
  m.Dst := dest;
  multisetadd(m, Net);
end;

function IsSharer(p: PROC): boolean;
begin
  return multisetcount(s: Sharers, Sharers[s] = p) > 0;
end;

-- Answer the client: nobody else holds anything that is in its way.
procedure Grant();
begin
  if Writes then
    Owner := Client;
    undefine Sharers;
  elsif !IsSharer(Client) then
    multisetadd(Client, Sharers);
  end;
  Send(Data, Directory, Client);
  State := Granting;
end;

startstate "Init"
  for p: PROC do Cache[p] := I; end;
  undefine Net;
  State := Idle;
  undefine Sharers;
  Owner := Directory;
  undefine Client;
  Writes := false;
  Pending := 0;
end;

------------------------------------------------------------------------- caches

ruleset p: PROC do
  rule "Load" Cache[p] = I & multisetcount(m: Net, Net[m].Src = p) = 0 ==>
  begin
    Send(GetS, p, Directory);
    Cache[p] := IS;
  end;

  rule "Store" (Cache[p] = I | Cache[p] = S) & multisetcount(m: Net, Net[m].Src = p) = 0 ==>
  begin
    Send(GetM, p, Directory);
    Cache[p] := IM;
  end;

  rule "Drop" Cache[p] = S ==>
  begin
    Cache[p] := I;
  end;

  rule "Evict" Cache[p] = M & multisetcount(m: Net, Net[m].Src = p) = 0 ==>
  begin
    Send(PutM, p, Directory);
    Cache[p] := MI;
  end;

  choose m: Net do
    alias packet: Net[m] do
      rule "Receive Data" packet.Dst = p & packet.Kind = Data ==>
      begin
        if Cache[p] = IS then Cache[p] := S; else Cache[p] := M; end;
        multisetremove(m, Net);
        Send(Done, p, Directory);
      end;

      rule "Receive Inv" packet.Dst = p & packet.Kind = Inv ==>
      begin
        if Cache[p] = S then Cache[p] := I; end;
        multisetremove(m, Net);
        Send(InvAck, p, Directory);
      end;

      rule "Receive Recall" packet.Dst = p & packet.Kind = Recall ==>
      begin
        multisetremove(m, Net);
        if Cache[p] = M then Send(WriteBack, p, Directory); end;
        Cache[p] := I;                                -- from MI: the PutM is answer enough
      end;

      rule "Receive PutAck" packet.Dst = p & packet.Kind = PutAck ==>
      begin
        multisetremove(m, Net);
        Cache[p] := I;
      end;
    end;
  end;
end;

----------------------------------------------------------------------- directory

ruleset p: PROC do
  choose m: Net do
    rule "Serve GetS" Net[m].Src = p & Net[m].Kind = GetS & State = Idle ==>
    begin
      multisetremove(m, Net);
      Client := p;
      Writes := false;
      if ismember(Owner, PROC) then
        Send(Recall, Directory, Owner);
        State := Recalling;
      else
        Grant();
      end;
    end;

    rule "Serve GetM" Net[m].Src = p & Net[m].Kind = GetM & State = Idle ==>
    begin
      multisetremove(m, Net);
      Client := p;
      Writes := true;
      if ismember(Owner, PROC) then
        Send(Recall, Directory, Owner);
        State := Recalling;
      else
        multisetremovepred(s: Sharers, Sharers[s] = Client);
        Pending := multisetcount(s: Sharers, true);
        if Pending = 0 then Grant(); else State := Invalidating; end;
      end;
    end;

    rule "Take InvAck" Net[m].Src = p & Net[m].Kind = InvAck ==>
    begin
      multisetremove(m, Net);
      Pending := Pending - 1;
      if Pending = 0 then Grant(); end;
    end;

    rule "Take WriteBack" Net[m].Src = p & Net[m].Kind = WriteBack ==>
    begin
      multisetremove(m, Net);
      Owner := Directory;
      Grant();
    end;

    rule "Take PutM" Net[m].Src = p & Net[m].Kind = PutM & (State = Idle | State = Recalling) ==>
    begin
      multisetremove(m, Net);
      Owner := Directory;
      if State = Recalling then
        Grant();                                      -- the Recall serves as PutAck
      else
        Send(PutAck, Directory, p);
      end;
    end;

    rule "Take Done" Net[m].Src = p & Net[m].Kind = Done ==>
    begin
      multisetremove(m, Net);
      State := Idle;
      undefine Client;
      Writes := false;
    end;
  end;
end;

choose s: Sharers do
  rule "Invalidate" State = Invalidating ==>
  begin
    Send(Inv, Directory, Sharers[s]);
    multisetremove(s, Sharers);
  end;
end;

--------------------------------------------------------------------- properties

-- A modified copy is the only readable one.
invariant "CtrlProp"
  forall p: PROC do forall q: PROC do
    p != q & Cache[p] = M -> Cache[q] != M & Cache[q] != S
  end end;

-- Between two requests the home knows all copies.
invariant "DirProp"
  State = Idle -> forall p: PROC do
    (Cache[p] = S -> multisetcount(s: Sharers, Sharers[s] = p) = 1) & (Cache[p] = M -> Owner = p)
  end;

-- Who asks for M gets it, if the home is fair to each message: weak fairness is not enough.
--@ ltl served: forall p: PROC: G (Cache[p] = IM -> F Cache[p] != IM)
