-- The public-key protocol of Needham and Schroeder as Lowe corrected it.
--
-- The Reply names its sender, and the initiator takes it only from whom it called:
--
--     B -> A: {Na, Nb, B}Ka   Reply
--
-- An intruder who wants to pass B's Reply on as its own cannot put its name in.
--
-- Source: needham_schroeder.m, which says how everything else works; the correction is in
-- G. Lowe, Information Processing Letters 56, 1995.
--
-- expect: Initiators=1 safe states=5804 canon=5804
-- expect: NetSize=2 safe states=70673 canon=70673
-- expect: Initiators=2 safe states=161493 canon=80882
-- expect: Responders=2 safe states=141928 canon=71096

const Initiators: 1;
      Responders: 1;
      Intruders:  1;
      NetSize:    1;     -- messages on their way
      StoreSize:  1;     -- messages an intruder keeps

type INITIATOR: scalarset(Initiators);
     RESPONDER: scalarset(Responders);
     INTRUDER:  scalarset(Intruders);
     AGENT:     union {INITIATOR, RESPONDER, INTRUDER};

     FORM:    enum {Hello, Reply, Confirm};
     MESSAGE: record
       Key:   AGENT;                  -- who can read it
       Form:  FORM;
       First: AGENT;                  -- whose number comes first
       Other: AGENT;                  -- whose number comes second; in a Reply
       Name:  AGENT;                  -- the sender, or so it says; not in a Confirm
     end;

     PHASE:   enum {Idle, Waiting, Finished};
     SESSION: record
       Phase: PHASE;
       Peer:  AGENT;                  -- the other side; undefined while Idle
     end;

var Init:  array[INITIATOR] of SESSION;
    Resp:  array[RESPONDER] of SESSION;
    Net:   multiset[NetSize] of MESSAGE;
    Store: array[INTRUDER] of multiset[StoreSize] of MESSAGE;
    Knows: array[INTRUDER] of array[AGENT] of boolean;   -- whose numbers

procedure Send(m: MESSAGE);
begin
  multisetadd(m, Net);
end;

procedure SendHello(key: AGENT; number: AGENT; name: AGENT);
var m: MESSAGE;
begin
  undefine m;
  m.Key := key;  m.Form := Hello;  m.First := number;  m.Name := name;
  Send(m);
end;

procedure SendReply(key: AGENT; number: AGENT; other: AGENT; name: AGENT);
var m: MESSAGE;
begin
  undefine m;
  m.Key := key;  m.Form := Reply;  m.First := number;  m.Other := other;  m.Name := name;
  Send(m);
end;

procedure SendConfirm(key: AGENT; number: AGENT);
var m: MESSAGE;
begin
  undefine m;
  m.Key := key;  m.Form := Confirm;  m.First := number;
  Send(m);
end;

startstate "Init"
  for i: INITIATOR do
    Init[i].Phase := Idle;
    undefine Init[i].Peer;
  end;
  for r: RESPONDER do
    Resp[r].Phase := Idle;
    undefine Resp[r].Peer;
  end;
  undefine Net;
  undefine Store;
  for z: INTRUDER do
    for a: AGENT do
      Knows[z][a] := (a = z);
    end;
  end;
end;

------------------------------------------------------------------- honest agents

ruleset i: INITIATOR do
  ruleset a: AGENT do
    rule "Begin"
      Init[i].Phase = Idle & !ismember(a, INITIATOR) & multisetcount(m: Net, true) < NetSize
    ==>
    begin
      SendHello(a, i, i);
      Init[i].Phase := Waiting;
      Init[i].Peer := a;
    end;
  end;

  choose m: Net do
    rule "Get Reply"
      Init[i].Phase = Waiting & Net[m].Key = i & Net[m].Form = Reply & Net[m].First = i
      & Net[m].Name = Init[i].Peer
    ==>
    var other: AGENT;
    begin
      other := Net[m].Other;
      multisetremove(m, Net);
      SendConfirm(Init[i].Peer, other);
      Init[i].Phase := Finished;
    end;
  end;
end;

ruleset r: RESPONDER do
  choose m: Net do
    rule "Get Hello"
      Resp[r].Phase = Idle & Net[m].Key = r & Net[m].Form = Hello
    ==>
    var number: AGENT;
    begin
      number := Net[m].First;
      Resp[r].Peer := Net[m].Name;
      multisetremove(m, Net);
      SendReply(Resp[r].Peer, number, r, r);
      Resp[r].Phase := Waiting;
    end;

    rule "Get Confirm"
      Resp[r].Phase = Waiting & Net[m].Key = r & Net[m].Form = Confirm & Net[m].First = r
    ==>
    begin
      multisetremove(m, Net);
      Resp[r].Phase := Finished;
    end;
  end;
end;

----------------------------------------------------------------------- intruders

ruleset z: INTRUDER do
  choose m: Net do
    rule "Intercept" Net[m].Key = z ==>
    begin
      Knows[z][Net[m].First] := true;
      if Net[m].Form = Reply then Knows[z][Net[m].Other] := true; end;
      multisetremove(m, Net);
    end;

    rule "Intercept and keep"
      Net[m].Key != z & multisetcount(k: Store[z], true) < StoreSize
    ==>
    begin
      alias packet: Net[m] do
        multisetadd(packet, Store[z]);
      end;
      multisetremove(m, Net);
    end;

    rule "Intercept and drop" Net[m].Key != z ==>
    begin
      multisetremove(m, Net);
    end;
  end;

  choose k: Store[z] do
    rule "Replay" multisetcount(m: Net, true) < NetSize ==>
    begin
      Send(Store[z][k]);
    end;
  end;

  ruleset number: AGENT do
    ruleset r: RESPONDER do
      ruleset name: AGENT do
        rule "Forge Hello"
          Knows[z][number] & !ismember(name, RESPONDER) & multisetcount(m: Net, true) < NetSize
        ==>
        begin
          SendHello(r, number, name);
        end;
      end;

      rule "Forge Confirm"
        Knows[z][number] & multisetcount(m: Net, true) < NetSize
      ==>
      begin
        SendConfirm(r, number);
      end;
    end;

    ruleset i: INITIATOR do
      ruleset other: AGENT do
        ruleset name: AGENT do
          rule "Forge Reply"
            Knows[z][number] & Knows[z][other] & !ismember(name, INITIATOR)
            & multisetcount(m: Net, true) < NetSize
          ==>
          begin
            SendReply(i, number, other, name);
          end;
        end;
      end;
    end;
  end;
end;

--------------------------------------------------------------------- properties

-- Who finishes as responder to an initiator was called by it.
invariant "ResponderSure"
  forall r: RESPONDER do
    Resp[r].Phase = Finished & ismember(Resp[r].Peer, INITIATOR) ->
    exists i: INITIATOR do Resp[r].Peer = i & Init[i].Peer = r end
  end;

-- Who finishes as initiator with a responder was answered by it.
invariant "InitiatorSure"
  forall i: INITIATOR do
    Init[i].Phase = Finished & ismember(Init[i].Peer, RESPONDER) ->
    exists r: RESPONDER do Init[i].Peer = r & Resp[r].Peer = i end
  end;

-- Numbers that two honest agents share stay between them.
invariant "Secret"
  forall z: INTRUDER do forall r: RESPONDER do
    Resp[r].Phase = Finished & ismember(Resp[r].Peer, INITIATOR) -> !Knows[z][r]
  end end;
