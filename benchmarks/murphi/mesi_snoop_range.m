-- mesi_snoop.m with a subrange in the place of the scalarset.
--
-- expect: NODE_NUM=2 safe states=43
-- expect: NODE_NUM=3 safe states=206
-- expect: NODE_NUM=4 safe states=949

const NODE_NUM: 2;

type NODE:    1..NODE_NUM;
     LINE:    enum {M, E, S, I};                    -- modified, exclusive, shared, invalid
     REQUEST: enum {None, BusRd, BusRdX, BusUpgr};

var State: array[NODE] of LINE;
    Wants: array[NODE] of REQUEST;      -- what a node waits for
    Fresh: array[NODE] of boolean;      -- its copy holds the value stored last
    MemFresh: boolean;                  -- memory does

startstate "Init"
  for i: NODE do
    State[i] := I;
    Wants[i] := None;
    Fresh[i] := false;
  end;
  MemFresh := true;
end;

--------------------------------------------------------------------- processors

ruleset i: NODE do
  rule "Read miss" State[i] = I & Wants[i] = None ==>
  begin
    Wants[i] := BusRd;
  end;

  rule "Write miss" State[i] = I & Wants[i] = None ==>
  begin
    Wants[i] := BusRdX;
  end;

  rule "Write shared" State[i] = S & Wants[i] = None ==>
  begin
    Wants[i] := BusUpgr;
  end;

  rule "Store" State[i] = M | State[i] = E ==>
  begin
    State[i] := M;
    for j: NODE do if j != i then Fresh[j] := false; end; end;
    MemFresh := false;
  end;

  rule "Evict" State[i] != I & Wants[i] = None ==>
  begin
    if State[i] = M then MemFresh := Fresh[i]; end;
    State[i] := I;
    Fresh[i] := false;
  end;
end;

------------------------------------------------------------------------ the bus

ruleset i: NODE do
  rule "BusRd" Wants[i] = BusRd ==>
  begin
    if exists j: NODE do State[j] = M end then           -- its owner flushes the line
      MemFresh := exists j: NODE do State[j] = M & Fresh[j] end;
    end;
    if exists j: NODE do State[j] != I end then State[i] := S; else State[i] := E; end;
    for j: NODE do
      if j != i & State[j] != I then State[j] := S; end;
    end;
    Fresh[i] := MemFresh;
    Wants[i] := None;
  end;

  rule "BusRdX" Wants[i] = BusRdX ==>
  begin
    if exists j: NODE do State[j] = M end then
      MemFresh := exists j: NODE do State[j] = M & Fresh[j] end;
    end;
    for j: NODE do
      State[j] := I;
      Fresh[j] := false;
      if Wants[j] = BusUpgr then Wants[j] := BusRdX; end;
    end;
    State[i] := M;
    Fresh[i] := MemFresh;
    Wants[i] := None;
  end;

  rule "BusUpgr" Wants[i] = BusUpgr ==>
  begin
    for j: NODE do
      if j != i then
        State[j] := I;
        Fresh[j] := false;
        if Wants[j] = BusUpgr then Wants[j] := BusRdX; end;
      end;
    end;
    State[i] := M;
    Wants[i] := None;
  end;
end;

--------------------------------------------------------------------- properties

-- A modified or exclusive copy is the only one.
invariant "CtrlProp"
  forall i: NODE do forall j: NODE do
    i != j & (State[i] = M | State[i] = E) -> State[j] = I
  end end;

-- Every copy holds the value stored last.
invariant "DataProp"
  forall i: NODE do State[i] != I -> Fresh[i] end;
