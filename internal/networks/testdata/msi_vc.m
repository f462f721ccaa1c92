-- MSI with a directory, as courses write it: messages overtake one another in the network; a message that its receiver
-- puts off waits in a box for its virtual channel, which takes no other message until then.
--
-- The home serves one request at a time and puts others off until the requester is done. Caches put nothing off: a cache
-- that is recalled answers, also while its line is put back; the home acknowledges what it does not need any more.

const NODE_NUM: 2;
      CHANNELS: 3;
      NetSize:  3 * NODE_NUM;

type PROC: scalarset(NODE_NUM);
     HOME: enum {Directory};
     NODE: union {HOME, PROC};
     VC:   0..CHANNELS - 1;
     KIND: enum {GetS, GetM, PutM, Inv, Recall, PutAck, Data, Done, InvAck, WriteBack};
     MESSAGE: record mtype: KIND; src: NODE; vc: VC; end;
     LINE: enum {I, S, M, IS, IM, MI, II};
     STATE: enum {Idle, Invalidating, Recalling, Granting};

var Cache: array[PROC] of LINE;
    Net:   array[NODE] of multiset[NetSize] of MESSAGE;
    InBox: array[NODE] of array[VC] of MESSAGE;
    processed: boolean;
    State: STATE;
    Sharers: multiset[NODE_NUM] of NODE;
    Owner: NODE;
    Client: NODE;
    Writes: boolean;
    Pending: 0..NODE_NUM;

procedure Send(kind: KIND; dest: NODE; from: NODE; vc: VC);
var m: MESSAGE;
begin
  assert multisetcount(i: Net[dest], true) < NetSize "too many messages";
  m.mtype := kind;
  m.src := from;
  m.vc := vc;
  multisetadd(m, Net[dest]);
end;

procedure Grant();
begin
  if Writes then
    Owner := Client;
    undefine Sharers;
  elsif multisetcount(s: Sharers, Sharers[s] = Client) = 0 then
    multisetadd(Client, Sharers);
  end;
  Send(Data, Client, Directory, 1);
  State := Granting;
end;

procedure HomeReceive(m: MESSAGE);
begin
  processed := true;
  switch m.mtype
  case GetS, GetM:
    if State != Idle then
      processed := false;
    else
      Client := m.src;
      Writes := m.mtype = GetM;
      if ismember(Owner, PROC) then
        Send(Recall, Owner, Directory, 1);
        State := Recalling;
      else
        if Writes then
          multisetremovepred(s: Sharers, Sharers[s] = Client);
          Pending := multisetcount(s: Sharers, true);
        end;
        if Pending = 0 then Grant(); else State := Invalidating; end;
      end;
    end;
  case PutM:
    if State != Idle then
      processed := false;
    else
      if Owner = m.src then Owner := Directory; end;
      Send(PutAck, m.src, Directory, 1);
    end;
  case InvAck:
    Pending := Pending - 1;
    if Pending = 0 then Grant(); end;
  case WriteBack:
    Owner := Directory;
    Grant();
  case Done:
    State := Idle;
    undefine Client;
    Writes := false;
  else
    error "unhandled message";
  end;
end;

procedure ProcReceive(m: MESSAGE; p: PROC);
begin
  processed := true;
  switch m.mtype
  case Data:
    if Cache[p] = IS then Cache[p] := S; else Cache[p] := M; end;
    Send(Done, Directory, p, 2);
  case Inv:
    if Cache[p] = S then Cache[p] := I; end;
    Send(InvAck, Directory, p, 2);
  case Recall:
    if Cache[p] = M then Cache[p] := I; else Cache[p] := II; end;
    Send(WriteBack, Directory, p, 2);
  case PutAck:
    Cache[p] := I;
  else
    error "unhandled message";
  end;
end;

startstate
  for p: PROC do Cache[p] := I; end;
  undefine Net;
  undefine InBox;
  processed := true;
  State := Idle;
  undefine Sharers;
  Owner := Directory;
  undefine Client;
  Writes := false;
  Pending := 0;
end;

ruleset p: PROC do
  rule "Load" Cache[p] = I ==> Send(GetS, Directory, p, 0); Cache[p] := IS; end;
  rule "Store" Cache[p] = I | Cache[p] = S ==> Send(GetM, Directory, p, 0); Cache[p] := IM; end;
  rule "Evict" Cache[p] = M ==> Send(PutM, Directory, p, 0); Cache[p] := MI; end;
end;

choose s: Sharers do
  rule "Invalidate" State = Invalidating ==>
    Send(Inv, Sharers[s], Directory, 1);
    multisetremove(s, Sharers);
  end;
end;

ruleset n: NODE do
  choose i: Net[n] do
    alias m: Net[n][i] do
      rule "receive" isundefined(InBox[n][m.vc].mtype) ==>
        if ismember(n, HOME) then HomeReceive(m); else ProcReceive(m, n); end;
        if !processed then InBox[n][m.vc] := m; end;
        multisetremove(i, Net[n]);
      end;
    end;
  end;
  ruleset vc: VC do
    rule "receive from the box" !isundefined(InBox[n][vc].mtype) ==>
      if ismember(n, HOME) then HomeReceive(InBox[n][vc]); else ProcReceive(InBox[n][vc], n); end;
      if processed then undefine InBox[n][vc]; end;
    end;
  end;
end;

invariant "CtrlProp"
  forall p: PROC do forall q: PROC do p != q & Cache[p] = M -> Cache[q] != M & Cache[q] != S end end;
