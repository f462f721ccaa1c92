-- MESI with a directory; each node has an inbox whose messages overtake one another.
--
-- The home of the line holds the directory. It answers a request, or forwards it to the
-- cache that owns the line, which answers in its place. A writer counts the InvAcks of the
-- sharers; the Data of the home says how many there are. A reader that finds no other copy
-- gets the line exclusively and may write it without asking. Forwards wait at an owner that
-- has no Data yet. While a forward or a shared copy is under way the home is busy, until the
-- client is done: a PutAck must not overtake a forward, nor an Inv the copy that it is
-- meant for. Shared copies are dropped silently, so an Inv may come to a cache that has
-- none; owned ones are put back, and the PutM of a former owner is answered and ignored.
-- Data values are left out.
--
-- Source: the usual directory protocol with forwards, as in D. J. Sorin, M. D. Hill and
-- D. A. Wood, "A primer on memory consistency and cache coherence", 2011, chapter 8; the
-- exclusive state after M. S. Papamarcos and J. H. Patel, 1984.
--
-- expect: NODE_NUM=2 safe states=298 canon=153
--
-- CMurphi counts 6422 states and 1149 orbits with 3 nodes, 124328 and 6126 with 4. The
-- encoding does not show the symmetry of more than two nodes, as a step may send several
-- Invs; the text of the model does.

const NODE_NUM: 2;
      BoxSize:  NODE_NUM + 1;

type PROC: scalarset(NODE_NUM);
     HOME: enum {Directory};
     NODE: union {HOME, PROC};

     COUNT:   0..NODE_NUM - 1;
     KIND:    enum {GetS, GetM, PutM, Done,            -- to the home
                    FwdGetS, FwdGetM, Inv, PutAck,     -- from the home
                    Data, DataE, InvAck};              -- to a client
     MESSAGE: record
       Kind: KIND;
       Src:  NODE;                                     -- of forwards and Invs: the client
       Acks: COUNT;                                    -- of Data for a writer: InvAcks to come
     end;

     LINE: enum {I, S, E, M,
                 IS, IM, IMA,                          -- wants S or M; IMA: waits for InvAcks
                 MI, II};                              -- waits for a PutAck, has the line or not

var Cache:   array[PROC] of LINE;
    Pending: array[PROC] of COUNT;                     -- of IMA: InvAcks to come
    Box:     array[NODE] of multiset[BoxSize] of MESSAGE;

    -- the home
    Busy:    boolean;
    Owner:   NODE;                                     -- who has E or M, or the home
    Sharer:  array[PROC] of boolean;                   -- who may have S

procedure Send(kind: KIND; from: NODE; dest: NODE; acks: COUNT);
var m: MESSAGE;
begin
  m.Kind := kind;
  m.Src := from;
  m.Acks := acks;
  multisetadd(m, Box[dest]);
end;

startstate "Init"
  for p: PROC do
    Cache[p] := I;
    Pending[p] := 0;
    Sharer[p] := false;
  end;
  undefine Box;
  Busy := false;
  Owner := Directory;
end;

------------------------------------------------------------------------- caches

ruleset p: PROC do
  rule "Load" Cache[p] = I ==>
  begin
    Send(GetS, p, Directory, 0);
    Cache[p] := IS;
  end;

  rule "Store" Cache[p] = I | Cache[p] = S ==>
  begin
    Send(GetM, p, Directory, 0);
    Cache[p] := IM;
  end;

  rule "Store to E" Cache[p] = E ==>
  begin
    Cache[p] := M;
  end;

  rule "Drop" Cache[p] = S ==>
  begin
    Cache[p] := I;
  end;

  rule "Evict" Cache[p] = E | Cache[p] = M ==>
  begin
    Send(PutM, p, Directory, 0);
    Cache[p] := MI;
  end;

  choose m: Box[p] do
    alias packet: Box[p][m] do
      rule "Data to read" Cache[p] = IS & packet.Kind = Data ==>
      begin
        multisetremove(m, Box[p]);
        Send(Done, p, Directory, 0);
        Cache[p] := S;
      end;

      rule "DataE" packet.Kind = DataE ==>
      begin
        multisetremove(m, Box[p]);
        Cache[p] := E;
      end;

      rule "Data to write" Cache[p] = IM & packet.Kind = Data ==>
      begin
        Pending[p] := packet.Acks;
        if packet.Src != Directory then Send(Done, p, Directory, 0); end;
        multisetremove(m, Box[p]);
        if Pending[p] = 0 then Cache[p] := M; else Cache[p] := IMA; end;
      end;

      rule "InvAck" Cache[p] = IMA & packet.Kind = InvAck ==>
      begin
        multisetremove(m, Box[p]);
        Pending[p] := Pending[p] - 1;
        if Pending[p] = 0 then Cache[p] := M; end;
      end;

      rule "Inv" packet.Kind = Inv ==>
      begin
        Send(InvAck, p, packet.Src, 0);
        multisetremove(m, Box[p]);
        if Cache[p] = S then Cache[p] := I; end;
      end;

      rule "FwdGetS" packet.Kind = FwdGetS & (Cache[p] = E | Cache[p] = M | Cache[p] = MI) ==>
      begin
        Send(Data, p, packet.Src, 0);
        multisetremove(m, Box[p]);
        if Cache[p] = MI then Cache[p] := II; else Cache[p] := S; end;
      end;

      rule "FwdGetM" packet.Kind = FwdGetM & (Cache[p] = E | Cache[p] = M | Cache[p] = MI) ==>
      begin
        Send(Data, p, packet.Src, 0);
        multisetremove(m, Box[p]);
        if Cache[p] = MI then Cache[p] := II; else Cache[p] := I; end;
      end;

      rule "PutAck" packet.Kind = PutAck ==>
      begin
        multisetremove(m, Box[p]);
        Cache[p] := I;
      end;
    end;
  end;
end;

----------------------------------------------------------------------- directory

ruleset p: PROC do
  choose m: Box[Directory] do
    alias packet: Box[Directory][m] do
      rule "Serve GetS" !Busy & packet.Src = p & packet.Kind = GetS ==>
      begin
        multisetremove(m, Box[Directory]);
        if Owner != Directory then
          Send(FwdGetS, p, Owner, 0);
          for q: PROC do Sharer[q] := q = p | q = Owner; end;
          Owner := Directory;
          Busy := true;
        elsif exists q: PROC do Sharer[q] end then
          Send(Data, Directory, p, 0);
          Sharer[p] := true;
          Busy := true;
        else
          Send(DataE, Directory, p, 0);
          Owner := p;
        end;
      end;

      rule "Serve GetM" !Busy & packet.Src = p & packet.Kind = GetM ==>
      var acks: 0..NODE_NUM;
      begin
        multisetremove(m, Box[Directory]);
        if Owner != Directory then
          Send(FwdGetM, p, Owner, 0);
          Busy := true;
        else
          acks := 0;
          for q: PROC do
            if Sharer[q] & q != p then
              Send(Inv, p, q, 0);
              acks := acks + 1;
            end;
            Sharer[q] := false;
          end;
          Send(Data, Directory, p, acks);
        end;
        Owner := p;
      end;

      rule "Serve PutM" !Busy & packet.Src = p & packet.Kind = PutM ==>
      begin
        multisetremove(m, Box[Directory]);
        if Owner = p then Owner := Directory; end;
        Send(PutAck, Directory, p, 0);
      end;

      rule "Done" packet.Src = p & packet.Kind = Done ==>
      begin
        multisetremove(m, Box[Directory]);
        Busy := false;
      end;
    end;
  end;
end;

--------------------------------------------------------------------- properties

-- An exclusive or modified copy is the only one.
invariant "CtrlProp"
  forall p: PROC do forall q: PROC do
    p != q & (Cache[p] = E | Cache[p] = M) -> Cache[q] != S & Cache[q] != E & Cache[q] != M
  end end;

-- Unless a forward or a shared copy is under way, the home knows who may write.
invariant "DirProp"
  !Busy -> forall p: PROC do Cache[p] = E | Cache[p] = M -> Owner = p end;

-- Who asks for M gets it, if the home is fair to each message: weak fairness is not enough.
--@ ltl served: forall p: PROC: G (Cache[p] = IM -> F Cache[p] != IM)
