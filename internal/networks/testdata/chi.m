-- Reads and write-backs by a home that serves one request at a time, with messages as in CHI: requests, snoops, responses and
-- data. The home puts requests off while it is busy; caches take everything at once. A cache whose line is written back answers
-- a snoop with the data, and sends them again when the home asks for them.
const N: 2;
type P: scalarset(N);
     H: enum {Home};
     NODE: union {H, P};
     KIND: enum {ReadS, ReadU, WriteBack,      -- requests
                 SnpS, SnpU,                   -- snoops
                 SnpResp, CompAck, DBID,       -- responses
                 CompData, SnpData, WbData};   -- data
     MESSAGE: record kind: KIND; src: NODE; end;
     LINE: enum {I, S, M, IS, IM, MI, II};
     STATE: enum {Idle, Snooping, Acking, Writing};
var line: array [P] of LINE;
    Net: array [NODE] of multiset[2 * N + 1] of MESSAGE;
    state: STATE;
    copies: array [P] of boolean;              -- who may have the line
    client: NODE;
    unique: boolean;
    left: 0..N;                                -- snoops without answer

procedure Send(k: KIND; src: NODE; dst: NODE);
var m: MESSAGE;
begin
  m.kind := k; m.src := src;
  multisetadd(m, Net[dst]);
end;

procedure Grant();
begin
  Send(CompData, Home, client);
  state := Acking;
end;

startstate
  for p: P do line[p] := I; copies[p] := false; end;
  undefine Net; undefine client;
  state := Idle; unique := false; left := 0;
end;

ruleset p: P do
  rule "read" line[p] = I ==> Send(ReadS, p, Home); line[p] := IS; end;
  rule "write" line[p] = I | line[p] = S ==> Send(ReadU, p, Home); line[p] := IM; end;
  rule "evict" line[p] = M ==> Send(WriteBack, p, Home); line[p] := MI; end;
  choose m: Net[p] do
    rule "snoop" Net[p][m].kind = SnpS | Net[p][m].kind = SnpU ==>
      if line[p] = M | line[p] = MI then Send(SnpData, p, Home); else Send(SnpResp, p, Home); end;
      if line[p] = MI then line[p] := II;
      elsif Net[p][m].kind = SnpS & line[p] = M then line[p] := S;
      elsif Net[p][m].kind = SnpU & (line[p] = M | line[p] = S) then line[p] := I; end;
      multisetremove(m, Net[p]);
    end;
    rule "data" Net[p][m].kind = CompData ==>
      if line[p] = IS then line[p] := S; else line[p] := M; end;
      Send(CompAck, p, Home);
      multisetremove(m, Net[p]);
    end;
    rule "write data" Net[p][m].kind = DBID ==>
      line[p] := I;
      Send(WbData, p, Home);
      multisetremove(m, Net[p]);
    end;
  end;
end;

ruleset p: P do
  choose m: Net[Home] do
    rule "serve a read" state = Idle & Net[Home][m].src = p & (Net[Home][m].kind = ReadS | Net[Home][m].kind = ReadU) ==>
      client := p;
      unique := Net[Home][m].kind = ReadU;
      multisetremove(m, Net[Home]);
      for q: P do
        if q != p & copies[q] then
          if unique then Send(SnpU, Home, q); copies[q] := false; else Send(SnpS, Home, q); end;
          left := left + 1;
        end;
      end;
      copies[p] := true;
      state := Snooping;
      if left = 0 then Grant(); end;
    end;
    rule "serve a write-back" state = Idle & Net[Home][m].src = p & Net[Home][m].kind = WriteBack ==>
      Send(DBID, Home, p);
      state := Writing;
      multisetremove(m, Net[Home]);
    end;
    rule "snooped" Net[Home][m].src = p & (Net[Home][m].kind = SnpResp | Net[Home][m].kind = SnpData) ==>
      left := left - 1;
      if left = 0 then Grant(); end;
      multisetremove(m, Net[Home]);
    end;
    rule "done" Net[Home][m].src = p & (Net[Home][m].kind = CompAck | Net[Home][m].kind = WbData) ==>
      if Net[Home][m].kind = WbData then copies[p] := false; end;
      undefine client; unique := false;
      state := Idle;
      multisetremove(m, Net[Home]);
    end;
  end;
end;

invariant "one writer" forall p: P do forall q: P do p != q & line[p] = M -> line[q] != M & line[q] != S end end;
