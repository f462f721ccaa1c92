-- CXL.cache: devices with caches of their own, and a host that keeps one line coherent.
--
-- A device asks the host for a shared copy (RdShared) or for ownership (RdOwn), and gives
-- copies back (CleanEvict, CleanEvictNoData, DirtyEvict). The host grants with a GO and with
-- data, which travel apart. Before, it takes copies away with snoops: SnpInv to each sharer,
-- SnpData or SnpInv to the owner, whose response and data travel apart, too. A GO_WritePull
-- asks for the data of an eviction; the host ignores them if the copy is clean, or was lost
-- to a snoop while the DirtyEvict was on its way (then CXL calls the data bogus). Each
-- device has six channels: requests, responses and data to the host (D2H), and snoops,
-- responses and data from the host (H2D). No channel ever holds two messages: sending into a
-- full one is a failing assertion, so what holds for this model holds with queues. Two
-- requirements keep the channels apart: a snoop is not taken before an earlier GO
-- (snoop-pushes-GO), and no GO is sent to a device whose answer to a snoop is not all there.
--
-- A transient state of a device has the copy that it had or wants, and then what it awaits: A
-- a GO, D data, AD both; I behind that: the copy is invalid as soon as it comes. A transient
-- state of the host has the state to come, and awaits the response (A) and data (D) of an
-- owner, or acks of sharers (A). IB, SB and MB await data that are ignored, ID those of the owner.
--
-- Source: C. Tan, A. F. Donaldson and J. Wickerson, "Formalising CXL cache coherence", ASPLOS
-- 2025, and the rules of its formalisation (github.com/ChengsongTan/CXLcacheFormalisation),
-- which has two devices and programs for them; ours may load, store and evict at any time.
-- Where its host looks into the caches, ours has a directory: Sharer and Owner. Ours also
-- serves what has no rule there, marked + below: evictions whose copy was lost to a snoop, in
-- each stable state of the host; the DirtyEvict of an owner that a SnpData made a sharer; and a
-- SnpInv to a device that gives its shared copy back without data. SWMR is that of the paper.
--
-- MISTAKE leaves out a condition, as the scenarios of the formalisation do, or its authors'
-- comments on the standard discuss: 1 a snoop may overtake a GO; 2 the host serves a second
-- RdOwn while it awaits acks, and its GO does not wait for the other snoop; 3 an eviction is
-- answered before the response to a snoop is there; 4 the DirtyEvict of a former owner is
-- believed; 5 bogus data are believed; 6 who evicts a shared copy is taken for the last sharer.
--
-- expect: DEV_NUM=2 safe states=4026 canon=1012
-- expect: DEV_NUM=3 safe states=167488 canon=14469
-- expect: DEV_NUM=2 MISTAKE=1 unsafe prop="SWMR" depth=10
-- expect: DEV_NUM=2 MISTAKE=1 unsafe prop="DataProp" depth=9
-- expect: DEV_NUM=2 MISTAKE=2 unsafe prop="SWMR" depth=16
-- expect: DEV_NUM=2 MISTAKE=3 unsafe prop="DataProp" depth=18
-- expect: DEV_NUM=2 MISTAKE=4 unsafe prop="SWMR" depth=19
-- expect: DEV_NUM=2 MISTAKE=5 unsafe prop="DataProp" depth=19
-- expect: DEV_NUM=2 MISTAKE=6 unsafe prop="SWMR" depth=15
-- expect: DEV_NUM=3 MISTAKE=2 unsafe prop="SWMR" depth=15
-- expect: DEV_NUM=3 MISTAKE=6 unsafe prop="SWMR" depth=14

const DEV_NUM:  2;
      DATA_NUM: 2;
      MISTAKE:  0;

type DEV:  scalarset(DEV_NUM);
     DATA: scalarset(DATA_NUM);
     LINE: enum {I, S, M, ISAD, ISA, ISD, ISDI, IMAD, IMA, IMD, SMAD, SMA, SMD,
                 MIA, SIA, SIAC, IIA};                    -- SIAC: evicts without data
     HOST: enum {HI, HS, HM, SAD, SA, SD, MAD, MA, MD, ID, IB, SB, MB};
     REQUEST:  enum {NoReq, RdShared, RdOwn, CleanEvict, CleanEvictNoData, DirtyEvict};
     ANSWER:   enum {NoAnswer, RspIHitI, RspIHitSE, RspIFwdM, RspSFwdM};
     SNOOP:    enum {NoSnoop, SnpData, SnpInv};
     RESPONSE: enum {NoResponse, GO_I, GO_S, GO_M, GO_WritePull, GO_WritePullDrop};
     PACKET:   record Full: boolean; Data: DATA; end;     -- Data undefined unless Full

var Line:    array[DEV] of LINE;
    Data:    array[DEV] of DATA;      -- undefined without a copy
    D2HReq:  array[DEV] of REQUEST;
    D2HResp: array[DEV] of ANSWER;
    D2HData: array[DEV] of PACKET;
    H2DReq:  array[DEV] of SNOOP;
    H2DResp: array[DEV] of RESPONSE;
    H2DData: array[DEV] of PACKET;

    Host:    HOST;
    Mem:     DATA;
    Sharer:  array[DEV] of boolean;
    Owner:   DEV;                     -- in HM and MB, and while it is snooped; else undefined
    Client:  DEV;                     -- whose request is served; undefined in HI, HS, HM

    Latest:  DATA;                    -- ghost: the value stored last

-- No GO goes to d otherwise: d has no snoop to answer, and its answers have come.
function Settled(d: DEV): boolean;
begin
  return H2DReq[d] = NoSnoop & D2HResp[d] = NoAnswer & !D2HData[d].Full;
end;

procedure Ask(d: DEV; r: REQUEST; l: LINE);
begin
  assert D2HReq[d] = NoReq "one request of a device";
  D2HReq[d] := r;
  Line[d] := l;
end;

procedure Supply(d: DEV);
begin
  assert !D2HData[d].Full "one packet from a device";
  D2HData[d].Full := true;
  D2HData[d].Data := Data[d];
end;

procedure Answer(d: DEV; a: ANSWER; l: LINE);
begin
  assert D2HResp[d] = NoAnswer "one answer of a device";
  D2HResp[d] := a;
  H2DReq[d] := NoSnoop;
  Line[d] := l;
end;

procedure Snoop(d: DEV; s: SNOOP);
begin
  assert H2DReq[d] = NoSnoop "one snoop to a device";
  H2DReq[d] := s;
end;

procedure Respond(d: DEV; r: RESPONSE);
begin
  assert H2DResp[d] = NoResponse "one response to a device";
  H2DResp[d] := r;
end;

procedure Send(d: DEV; v: DATA);
begin
  assert !H2DData[d].Full "one packet to a device";
  H2DData[d].Full := true;
  H2DData[d].Data := v;
end;

-- For the invariants.

-- d has a shared copy, or it is on its way, or an eviction of it waits to be served.
function Shares(d: DEV): boolean;
begin
  return Line[d] = S | Line[d] = ISD | (Line[d] = ISAD | Line[d] = ISA) & H2DResp[d] = GO_S |
    Line[d] = SMAD & D2HReq[d] = RdOwn |
    Line[d] = SIA & (D2HReq[d] = CleanEvict | D2HReq[d] = DirtyEvict) |
    Line[d] = SIAC & D2HReq[d] = CleanEvictNoData;
end;

-- The same of an owner.
function Owns(d: DEV): boolean;
begin
  return Line[d] = M | Line[d] = IMD | Line[d] = SMD |
    (Line[d] = IMAD | Line[d] = SMAD | Line[d] = IMA | Line[d] = SMA) & H2DResp[d] = GO_M |
    Line[d] = MIA & D2HReq[d] = DirtyEvict;
end;

-- d lost its copy to a snoop, and may have asked again.
function Lost(d: DEV): boolean;
begin
  return Line[d] = I | Line[d] = ISDI | Line[d] = ISAD & D2HReq[d] = RdShared |
    Line[d] = IMAD & D2HReq[d] = RdOwn | Line[d] = IIA & D2HReq[d] != NoReq;
end;

ruleset v: DATA do startstate "Init"
  for d: DEV do
    Line[d] := I;
    undefine Data[d];
    D2HReq[d] := NoReq;
    D2HResp[d] := NoAnswer;
    D2HData[d].Full := false;
    undefine D2HData[d].Data;
    H2DReq[d] := NoSnoop;
    H2DResp[d] := NoResponse;
    H2DData[d].Full := false;
    undefine H2DData[d].Data;
    Sharer[d] := false;
  end;
  Host := HI;
  Mem := v;
  undefine Owner;
  undefine Client;
  Latest := v;
end; end;

----------------------------------------------------------------------- devices

ruleset d: DEV do
  rule "Load, invalid"  Line[d] = I ==> begin Ask(d, RdShared, ISAD); end;
  rule "Store, invalid" Line[d] = I ==> begin Ask(d, RdOwn, IMAD); end;
  rule "Store, shared"  Line[d] = S ==> begin Ask(d, RdOwn, SMAD); end;
  rule "Evict, shared"  Line[d] = S ==> begin Ask(d, CleanEvict, SIA); end;
  rule "Evict, shared, no data" Line[d] = S ==> begin Ask(d, CleanEvictNoData, SIAC); end;
  rule "Evict, modified" Line[d] = M ==> begin Ask(d, DirtyEvict, MIA); end;

  ruleset v: DATA do
    rule "Store" Line[d] = M ==>
    begin
      Data[d] := v;
      Latest := v;
    end;
  end;
end;

-- Snoops. They are not taken before a GO, nor by a device that is an owner but for its data.
ruleset d: DEV do
  rule "SnpInv, shared"
    H2DReq[d] = SnpInv & (H2DResp[d] = NoResponse | MISTAKE = 1) &
    (Line[d] = S | Line[d] = ISD | Line[d] = SMAD | Line[d] = SIA | Line[d] = SIAC) ==>
  begin
    switch Line[d]
    case S:    Answer(d, RspIHitSE, I);    undefine Data[d];
    case ISD:  Answer(d, RspIHitSE, ISDI);
    case SMAD: Answer(d, RspIHitSE, IMAD); undefine Data[d];
    else       Answer(d, RspIHitSE, IIA);                        -- + of SIAC
    end;
  end;

  rule "Snoop, modified, gives it up"
    H2DReq[d] != NoSnoop & (H2DResp[d] = NoResponse | MISTAKE = 1) &
    (Line[d] = M | Line[d] = MIA) ==>
  begin
    Supply(d);
    if Line[d] = M then
      Answer(d, RspIFwdM, I);
      undefine Data[d];
    else
      Answer(d, RspIFwdM, IIA);
    end;
  end;

  rule "SnpData, modified, shares it"
    H2DReq[d] = SnpData & (H2DResp[d] = NoResponse | MISTAKE = 1) &
    (Line[d] = M | Line[d] = MIA) ==>
  begin
    Supply(d);
    Answer(d, RspSFwdM, Line[d] = M ? S : SIA);
  end;

  rule "Snoop, nothing there"                                    -- none comes without mistake
    MISTAKE > 0 & H2DReq[d] != NoSnoop & (H2DResp[d] = NoResponse | MISTAKE = 1) &
    (Line[d] = I | Line[d] = ISAD | Line[d] = IMAD) ==>
  begin
    Answer(d, RspIHitI, Line[d]);
  end;
end;

-- Data and responses from the host.
ruleset d: DEV do
  rule "Data"
    H2DData[d].Full &
    (Line[d] = ISAD | Line[d] = ISD | Line[d] = ISDI | Line[d] = IMAD | Line[d] = IMD |
     Line[d] = SMAD | Line[d] = SMD) ==>
  begin
    if Line[d] != ISDI then Data[d] := H2DData[d].Data; end;
    H2DData[d].Full := false;
    undefine H2DData[d].Data;
    switch Line[d]
    case ISAD:     Line[d] := ISA;
    case ISD:      Line[d] := S;
    case ISDI:     Line[d] := I;                                 -- one load was done with it
    case IMAD:     Line[d] := IMA;
    case SMAD:     Line[d] := SMA;
    case IMD, SMD: Line[d] := M;
    end;
  end;

  rule "GO_S" H2DResp[d] = GO_S & (Line[d] = ISAD | Line[d] = ISA) ==>
  begin
    H2DResp[d] := NoResponse;
    Line[d] := Line[d] = ISAD ? ISD : S;
  end;

  rule "GO_M"
    H2DResp[d] = GO_M & (Line[d] = IMAD | Line[d] = SMAD | Line[d] = IMA | Line[d] = SMA) ==>
  begin
    H2DResp[d] := NoResponse;
    switch Line[d]
    case IMAD: Line[d] := IMD;
    case SMAD: Line[d] := SMD;
    else       Line[d] := M;
    end;
  end;

  rule "GO, eviction"
    H2DResp[d] = GO_WritePull & (Line[d] = MIA | Line[d] = SIA | Line[d] = IIA) |
    H2DResp[d] = GO_WritePullDrop & (Line[d] = SIA | Line[d] = IIA) |
    H2DResp[d] = GO_I & (Line[d] = SIAC | Line[d] = IIA) ==>
  begin
    if H2DResp[d] = GO_WritePull then Supply(d); end;
    H2DResp[d] := NoResponse;
    Line[d] := I;
    undefine Data[d];
  end;
end;

---------------------------------------------------------- the host: reads and writes

ruleset d: DEV do
  rule "RdShared, no owner"
    (Host = HI | Host = HS) & D2HReq[d] = RdShared & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_S);
    Send(d, Mem);
    Sharer[d] := true;
    Host := HS;
  end;

  rule "RdOwn, no owner"                                         -- no GO yet if others share
    (Host = HI | Host = HS) & D2HReq[d] = RdOwn & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Send(d, Mem);
    Sharer[d] := false;
    if Host = HS & exists e: DEV do Sharer[e] end then
      for e: DEV do
        if Sharer[e] then Snoop(e, SnpInv); end;
      end;
      Client := d;
      Host := MA;
    else
      Respond(d, GO_M);
      Owner := d;
      Host := HM;
    end;
  end;
end;

ruleset d: DEV; o: DEV do
  rule "RdShared, owner" Host = HM & Owner = o & D2HReq[d] = RdShared ==>
  begin
    D2HReq[d] := NoReq;
    Snoop(o, SnpData);
    Client := d;
    Host := SAD;
  end;

  rule "RdOwn, owner" Host = HM & Owner = o & D2HReq[d] = RdOwn ==>
  begin
    D2HReq[d] := NoReq;
    Snoop(o, SnpInv);
    Client := d;
    Host := MAD;
  end;
end;

----------------------------------------------- the host: answers of d, for client c

ruleset d: DEV; c: DEV do
  rule "Rsp, for a reader"
    (Host = SAD | Host = SA) & (D2HResp[d] = RspIFwdM | D2HResp[d] = RspSFwdM) &
    Client = c & Settled(c) ==>
  begin
    Sharer[c] := true;
    if D2HResp[d] = RspSFwdM then Sharer[d] := true; end;
    D2HResp[d] := NoAnswer;
    Respond(c, GO_S);
    if Host = SAD then
      Host := SD;
    else
      Host := HS;
      undefine Owner;
      undefine Client;
    end;
  end;

  rule "RspIFwdM, for a writer"
    (Host = MAD | Host = MA) & D2HResp[d] = RspIFwdM & Client = c & Settled(c) ==>
  begin
    D2HResp[d] := NoAnswer;
    Respond(c, GO_M);
    if Host = MAD then
      Host := MD;
    else
      Host := HM;
      Owner := c;
      undefine Client;
    end;
  end;

  rule "RspIHitSE, for a writer"                                 -- GO after the last one
    Host = MA & D2HResp[d] = RspIHitSE & Client = c & (Settled(c) | MISTAKE = 2) ==>
  begin
    D2HResp[d] := NoAnswer;
    Sharer[d] := false;
    if forall e: DEV do !Sharer[e] end then
      Respond(c, GO_M);
      Owner := c;
      Host := HM;
      undefine Client;
    end;
  end;

  rule "Data, for a client"
    (Host = SAD | Host = SD | Host = MAD | Host = MD) & D2HData[d].Full & Client = c ==>
  begin
    Mem := D2HData[d].Data;
    Send(c, D2HData[d].Data);
    D2HData[d].Full := false;
    undefine D2HData[d].Data;
    switch Host
    case SAD: Host := SA;
    case MAD: Host := MA;
    case SD:  Host := HS; undefine Owner; undefine Client;
    case MD:  Host := HM; Owner := c;     undefine Client;
    end;
  end;

  rule "RspIHitI, for a reader"                                  -- none comes without mistake
    MISTAKE > 0 & Host = SAD & D2HResp[d] = RspIHitI & Client = c ==>
  begin
    D2HResp[d] := NoAnswer;
    Sharer[c] := true;
    Respond(c, GO_S);
    Send(c, Mem);
    undefine Owner;
    undefine Client;
    Host := HS;
  end;

  rule "Second RdOwn"
    MISTAKE = 2 & Host = MA & D2HReq[d] = RdOwn & Client = c & H2DReq[c] = NoSnoop ==>
  begin
    D2HReq[d] := NoReq;
    Snoop(c, SnpInv);
  end;

  rule "RspIHitI, for a second writer"
    MISTAKE = 2 & Host = HM & D2HResp[d] = RspIHitI & D2HReq[c] = NoReq & c != d &
    Line[c] = IMAD & H2DResp[c] = NoResponse ==>
  begin
    D2HResp[d] := NoAnswer;
    Respond(c, GO_M);
    Send(c, Mem);
    Owner := c;
  end;
end;

------------------------------------------------------------- the host: evictions

ruleset d: DEV do
  rule "Eviction of the owner"
    Host = HM & D2HReq[d] = DirtyEvict & (Owner = d | MISTAKE = 4) & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_WritePull);
    undefine Owner;
    Client := d;
    Host := ID;
  end;

  rule "Eviction of a sharer"                                    -- + of a DirtyEvict
    Host = HS & (D2HReq[d] = CleanEvict | D2HReq[d] = DirtyEvict) & Sharer[d] & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_WritePull);
    Sharer[d] := false;
    Client := d;
    if MISTAKE != 6 & exists e: DEV do Sharer[e] end then Host := SB; else Host := IB; end;
  end;

  rule "Eviction of a sharer, dropped"
    Host = HS & D2HReq[d] = CleanEvict & Sharer[d] & Settled(d) &
    exists e: DEV do e != d & Sharer[e] end ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_WritePullDrop);
    Sharer[d] := false;
  end;

  rule "Eviction of a sharer, no data"
    Host = HS & D2HReq[d] = CleanEvictNoData & Sharer[d] & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_I);
    Sharer[d] := false;
    if MISTAKE = 6 | forall e: DEV do !Sharer[e] end then Host := HI; end;
  end;

  rule "Late eviction"                                           -- + of a CleanEvict in HI, HM
    (Host = HI | Host = HS | Host = HM & Owner != d) & !Sharer[d] &
    (D2HReq[d] = CleanEvict | D2HReq[d] = DirtyEvict) & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_WritePull);
    Client := d;
    switch Host
    case HI: Host := IB;
    case HS: Host := SB;
    case HM: Host := MB;
    end;
  end;

  rule "Late eviction, dropped"                                  -- + in HI, HM
    (Host = HI | Host = HS | Host = HM) & !Sharer[d] & D2HReq[d] = CleanEvict & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_WritePullDrop);
  end;

  rule "Late eviction, no data"                                  -- +
    (Host = HI | Host = HS | Host = HM) & !Sharer[d] & D2HReq[d] = CleanEvictNoData & Settled(d) ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_I);
  end;

  rule "Eviction too early"
    MISTAKE = 3 & (Host = MAD | Host = MA | Host = MD) & D2HReq[d] = DirtyEvict ==>
  begin
    D2HReq[d] := NoReq;
    Respond(d, GO_WritePull);
  end;

  rule "Data of an eviction"
    (Host = ID | Host = IB | Host = SB | Host = MB) & D2HData[d].Full ==>
  begin
    if Host = ID | MISTAKE = 5 then Mem := D2HData[d].Data; end;
    D2HData[d].Full := false;
    undefine D2HData[d].Data;
    undefine Client;
    switch Host
    case SB: Host := HS;
    case MB: Host := HM;
    else     Host := HI;
    end;
  end;
end;

--------------------------------------------------------------------- properties

-- Who may write is alone.
invariant "SWMR"
  forall d: DEV do
    Line[d] = M -> forall e: DEV do e = d | Line[e] != M & Line[e] != S end
  end;

-- Who may read has the value stored last; so has the host where it grants from memory.
invariant "DataProp"
  forall d: DEV do Line[d] = S | Line[d] = M -> Data[d] = Latest end &
  (Host = HI | Host = HS -> Mem = Latest);

-------------------------------------- what makes the properties inductive, for every DEV_NUM

invariant "Requests"
  forall d: DEV do
    (D2HReq[d] != NoReq -> H2DResp[d] = NoResponse & !H2DData[d].Full) &
    (D2HReq[d] = RdShared -> Line[d] = ISAD) &
    (D2HReq[d] = RdOwn -> Line[d] = IMAD | Line[d] = SMAD) &
    (D2HReq[d] = CleanEvict -> Line[d] = SIA | Line[d] = IIA) &
    (D2HReq[d] = CleanEvictNoData -> Line[d] = SIAC | Line[d] = IIA) &
    (D2HReq[d] = DirtyEvict -> Line[d] = MIA | Line[d] = SIA | Line[d] = IIA)
  end;

invariant "Responses"
  forall d: DEV do
    (H2DResp[d] = GO_S -> Line[d] = ISAD | Line[d] = ISA) &
    (H2DResp[d] = GO_M ->
      Line[d] = IMAD | Line[d] = SMAD | Line[d] = IMA | Line[d] = SMA) &
    (H2DResp[d] = GO_I -> Line[d] = SIAC | Line[d] = IIA) &
    (H2DResp[d] = GO_WritePullDrop -> Line[d] = SIA | Line[d] = IIA) &
    (H2DResp[d] = GO_WritePull ->
      (Host = ID ? Line[d] = MIA : Line[d] = SIA | Line[d] = IIA) & !D2HData[d].Full &
      (Host = ID | Host = IB | Host = SB | Host = MB) & Client = d)
  end;

invariant "DataToDevices"
  forall d: DEV do
    (H2DData[d].Full ->
      Line[d] = ISAD | Line[d] = ISD | Line[d] = ISDI | Line[d] = IMAD | Line[d] = IMD |
      Line[d] = SMAD | Line[d] = SMD) &
    (Line[d] = ISDI | Line[d] = SMD | Line[d] = SMAD & H2DResp[d] = GO_M -> H2DData[d].Full) &
    (Line[d] = ISD | Line[d] = ISAD & H2DResp[d] = GO_S ->
      H2DData[d].Full = !(Host = SD & Client = d)) &
    (Line[d] = IMD | Line[d] = IMAD & H2DResp[d] = GO_M ->
      H2DData[d].Full = !(Host = MD & Client = d))
  end;

-- Who waits, with no request and no response on the way, is the client.
invariant "Waiting"
  forall d: DEV do D2HReq[d] = NoReq & H2DResp[d] = NoResponse ->
    (Line[d] = ISAD ->
      (Host = SAD & !H2DData[d].Full | Host = SA & H2DData[d].Full) & Client = d) &
    (Line[d] = ISA -> Host = SA & Client = d) &
    (Line[d] = IMAD ->
      (Host = MAD & !H2DData[d].Full | Host = MA & H2DData[d].Full) & Client = d) &
    (Line[d] = SMAD -> Host = MA & H2DData[d].Full & Client = d) &
    (Line[d] = IMA | Line[d] = SMA -> Host = MA & Client = d) &
    Line[d] != SIA & Line[d] != SIAC & Line[d] != MIA & Line[d] != IIA
  end;

invariant "Clients"
  forall d: DEV do
    Host != HI & Host != HS & Host != HM -> (Client = d ->
      (Host = SAD | Host = SA -> H2DResp[d] = NoResponse & (Line[d] = ISAD | Line[d] = ISA)) &
      (Host = SAD | Host = MAD -> Line[d] != ISA & Line[d] != IMA) &
      (Host = SD -> Line[d] = ISD | Line[d] = ISAD & H2DResp[d] = GO_S) &
      (Host = MD -> Line[d] = IMD | Line[d] = IMAD & H2DResp[d] = GO_M) &
      (Host = MAD -> H2DResp[d] = NoResponse & Line[d] = IMAD) &
      (Host = MA -> H2DResp[d] = NoResponse &
        (Line[d] = IMAD | Line[d] = SMAD | Line[d] = IMA | Line[d] = SMA)) &
      (Host = ID | Host = IB | Host = SB | Host = MB ->
        H2DResp[d] = GO_WritePull | D2HData[d].Full) &
      (Host = SAD | Host = SA | Host = MAD | Host = MA ->
        D2HReq[d] = NoReq & H2DReq[d] = NoSnoop & D2HResp[d] = NoAnswer & !Sharer[d]))
  end;

invariant "Sharers"
  forall d: DEV do
    (Sharer[d] -> Host = HS | Host = SD | Host = SB | Host = MA) &
    (Sharer[d] -> Shares(d) | D2HResp[d] = RspIHitSE) &
    (Shares(d) -> Sharer[d] & D2HResp[d] = NoAnswer | D2HResp[d] = RspSFwdM) &
    (Sharer[d] & Host = MA -> H2DReq[d] = SnpInv | D2HResp[d] = RspIHitSE)
  end;

invariant "Owners"
  forall d: DEV do
    (Owns(d) -> Host = MD & Client = d |
      (Host = HM | Host = MB | Host = SAD | Host = MAD) & Owner = d) &
    ((Host = HM | Host = MB) & Owner = d -> Owns(d)) &
    ((Host = SAD | Host = MAD) & Owner = d -> H2DReq[d] != NoSnoop | D2HResp[d] != NoAnswer) &
    (Host = SA & Owner = d -> D2HResp[d] != NoAnswer) &
    ((Host = SD | Host = MD) & Owner = d -> D2HData[d].Full)
  end;

invariant "Snoops"
  forall d: DEV do
    (H2DReq[d] = SnpData -> Host = SAD & Owner = d & Owns(d)) &
    (H2DReq[d] = SnpInv -> Host = MAD & Owner = d & Owns(d) | Host = MA & Sharer[d] & Shares(d)) &
    (H2DReq[d] != NoSnoop -> D2HResp[d] = NoAnswer & !D2HData[d].Full)
  end;

invariant "Answers"
  forall d: DEV do
    D2HResp[d] != RspIHitI &
    (D2HResp[d] = RspIHitSE -> Host = MA & Sharer[d] & Lost(d)) &
    (D2HResp[d] = RspIFwdM ->
      (Host = SAD | Host = SA | Host = MAD | Host = MA) & Owner = d & Lost(d)) &
    (D2HResp[d] = RspSFwdM -> (Host = SAD | Host = SA) & Owner = d & Shares(d)) &
    (D2HResp[d] != NoAnswer & (Host = SAD | Host = MAD) -> D2HData[d].Full) &
    (D2HResp[d] = RspIFwdM -> forall e: DEV do !Sharer[e] end)
  end;

invariant "SomeoneMoves"    -- so there is no deadlock
  (Host != HI & Host != HS & Host != HM -> !isundefined(Client)) &
  (Host = HM | Host = MB | Host = SAD | Host = SA | Host = SD | Host = MAD | Host = MD ->
    !isundefined(Owner)) &
  (Host = MA -> exists d: DEV do Sharer[d] | D2HResp[d] = RspIFwdM end);

invariant "DataToHost"
  forall d: DEV do D2HData[d].Full ->
    (Host = SAD | Host = SD | Host = MAD | Host = MD) & Owner = d |
    (Host = ID | Host = IB | Host = SB | Host = MB) & Client = d
  end;

invariant "Values"
  forall d: DEV do
    (Line[d] = ISA | Line[d] = IMA | Line[d] = SMA | Line[d] = MIA | Shares(d) & Line[d] != ISAD &
      Line[d] != ISD -> Data[d] = Latest) &
    (Line[d] = SIA | Line[d] = SIAC | Line[d] = IIA -> !isundefined(Data[d])) &
    (H2DData[d].Full -> !isundefined(H2DData[d].Data)) &
    (H2DData[d].Full & Line[d] != ISDI -> H2DData[d].Data = Latest) &
    (D2HData[d].Full -> !isundefined(D2HData[d].Data)) &
    (D2HData[d].Full & Host != IB & Host != SB & Host != MB -> D2HData[d].Data = Latest)
  end &
  (Host = IB | Host = SB | Host = SA | Host = MA -> Mem = Latest);
