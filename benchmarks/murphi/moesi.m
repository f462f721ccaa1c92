-- MOESI snooping with data.
--
-- Five states: modified, owned, exclusive, shared, invalid. A dirty line is passed from
-- cache to cache without updating memory: its holder becomes the owner (O), answers
-- later readers, and writes the line back when it evicts it. Every bus transaction is
-- one step. Memory answers when no cache holds the line dirty (M or O).
--
-- Source: P. Sweazey and A. J. Smith, "A class of compatible cache consistency protocols
-- and their support by the IEEE Futurebus", ISCA 1986.
--
-- expect: NODE_NUM=2 safe states=36 canon=10
-- expect: NODE_NUM=3 safe states=82 canon=13
-- expect: NODE_NUM=4 safe states=184 canon=16

const NODE_NUM: 2;
      DATA_NUM: 2;

type NODE: scalarset(NODE_NUM);
     DATA: scalarset(DATA_NUM);
     LINE: enum {M, O, E, S, I};

var State: array[NODE] of LINE;
    Data:  array[NODE] of DATA;       -- undefined in I
    MemData: DATA;
    AuxData: DATA;                    -- ghost: the value stored last

ruleset d: DATA do startstate "Init"
  for i: NODE do
    State[i] := I;
    undefine Data[i];
  end;
  MemData := d;
  AuxData := d;
end; end;

--------------------------------------------------------------------- processors

ruleset i: NODE; d: DATA do
  rule "Store" State[i] = M | State[i] = E ==>
  begin
    State[i] := M;
    Data[i] := d;
    AuxData := d;
  end;
end;

ruleset i: NODE do
  rule "Evict clean" State[i] = E | State[i] = S ==>
  begin
    State[i] := I;
    undefine Data[i];
  end;

  rule "Evict dirty" State[i] = M | State[i] = O ==>
  begin
    MemData := Data[i];
    State[i] := I;
    undefine Data[i];
  end;
end;

------------------------------------------------------------------------ the bus

ruleset i: NODE do
  rule "BusRd, memory answers"
    State[i] = I & forall j: NODE do State[j] != M & State[j] != O end ==>
  begin
    if exists j: NODE do State[j] != I end then State[i] := S; else State[i] := E; end;
    for j: NODE do
      if j != i & State[j] = E then State[j] := S; end;
    end;
    Data[i] := MemData;
  end;

  rule "BusRdX, memory answers"
    State[i] = I & forall j: NODE do State[j] != M & State[j] != O end ==>
  begin
    for j: NODE do
      State[j] := I;
      undefine Data[j];
    end;
    State[i] := M;
    Data[i] := MemData;
  end;

  rule "BusUpgr" State[i] = S | State[i] = O ==>
  begin
    for j: NODE do
      if j != i then
        State[j] := I;
        undefine Data[j];
      end;
    end;
    State[i] := M;
  end;
end;

ruleset i: NODE; owner: NODE do
  rule "BusRd, owner answers"
    State[i] = I & (State[owner] = M | State[owner] = O) ==>
  begin
    State[i] := S;
    Data[i] := Data[owner];
    State[owner] := O;
  end;

  rule "BusRdX, owner answers"
    State[i] = I & (State[owner] = M | State[owner] = O) ==>
  begin
    Data[i] := Data[owner];
    for j: NODE do
      if j != i then
        State[j] := I;
        undefine Data[j];
      end;
    end;
    State[i] := M;
  end;
end;

--------------------------------------------------------------------- properties

-- A modified or exclusive copy is the only one; an owned one is the only dirty one.
invariant "CtrlProp"
  forall i: NODE do forall j: NODE do
    i != j ->
      (State[i] = M | State[i] = E -> State[j] = I) &
      (State[i] = O -> State[j] = S | State[j] = I)
  end end;

-- Every copy holds the value stored last.
invariant "DataProp"
  forall i: NODE do State[i] != I -> Data[i] = AuxData end;
