-- A cluster of MSI caches and one of MESI caches, joined by a directory. Addresses: one.
--
-- The story: within a cluster caches snoop on an atomic bus, on which there is a copy of the line if the cluster has
-- rights to it. A cluster asks the directory for rights, which are those of all its caches: one cluster to write, or both
-- to read. The directory serves one request after the other. It asks the other cluster to give up its rights, or to read
-- only; that one answers with the line. Caches drop clean lines, and write modified ones back to their bus.
--
-- Source: two textbook protocols (Sorin, Hill, Wood 2011; Papamarcos, Patel 1984), joined as clusters are.
--
-- expect: MSI_NUM=1 MESI_NUM=1 safe states=108 canon=54
-- expect: MSI_NUM=2 MESI_NUM=2 safe states=254 canon=83
--
--@ litmus core Cache
--@ litmus value Value
--@ litmus initial Memory
--@ litmus load for i when State[i] != I gives Data[i]
--@ litmus store rule "MSI store" for i puts v
--@ litmus store rule "MESI store" for j puts v

const
  MSI_NUM: 1;
  MESI_NUM: 1;
  VALUE_NUM: 2;

type
  Msi: scalarset(MSI_NUM);
  Mesi: scalarset(MESI_NUM);
  Cache: union {Msi, Mesi};
  Value: scalarset(VALUE_NUM);
  Line: enum {I, S, E, M};
  Cluster: enum {MsiCluster, MesiCluster};
  Rights: enum {None, Read, Write};

var
  State: array [Cache] of Line;
  Data: array [Cache] of Value;      -- undefined in I
  Has: array [Cluster] of Rights;
  Copy: array [Cluster] of Value;    -- on the bus of the cluster; undefined without rights, and if a cache is in M
  Owner: array [Cluster] of Cache;   -- in M
  Memory: Value;                     -- undefined if a cluster has the line to write
  Want: Rights;                      -- the request that is served, that of Client; None: there is none
  Client: Cluster;

  Last: Value;                       -- stored; for the property

-- takes what caches of a cluster have modified to its bus, and leaves them in state S, or in I
procedure Collect(c: Cluster; keep: boolean);
begin
  if !isundefined(Owner[c]) then
    Copy[c] := Data[Owner[c]];
    undefine Owner[c];
  end;
  for p: Cache do
    if ismember(p, Msi) = (c = MsiCluster) & State[p] != I then
      if keep then
        State[p] := S;
      else
        State[p] := I;
        undefine Data[p];
      end;
    end;
  end;
end;

function Other(c: Cluster): Cluster;
begin
  if c = MsiCluster then
    return MesiCluster;
  end;
  return MsiCluster;
end;

ruleset d: Value do startstate
  undefine Data;
  undefine Copy;
  undefine Owner;
  undefine Client;
  for p: Cache do
    State[p] := I;
  end;
  for c: Cluster do
    Has[c] := None;
  end;
  Want := None;
  Memory := d;
  Last := d;
end end;

-- caches

ruleset i: Msi do
  rule "MSI read miss"
    State[i] = I & Has[MsiCluster] != None
  ==>
    Collect(MsiCluster, true);
    State[i] := S;
    Data[i] := Copy[MsiCluster];
  end;

  rule "MSI write miss"
    State[i] != M & Has[MsiCluster] = Write
  ==>
    Collect(MsiCluster, false);
    State[i] := M;
    Owner[MsiCluster] := i;
    Data[i] := Copy[MsiCluster];
    undefine Copy[MsiCluster];
  end;

  rule "MSI evict"
    State[i] != I
  ==>
    if State[i] = M then
      Copy[MsiCluster] := Data[i];
      undefine Owner[MsiCluster];
    end;
    State[i] := I;
    undefine Data[i];
  end;
end;

ruleset i: Msi; v: Value do
  rule "MSI store"
    State[i] = M
  ==>
    Data[i] := v;
    Last := v;
  end;
end;

ruleset j: Mesi do
  rule "MESI read miss"
    State[j] = I & Has[MesiCluster] != None
  ==>
    if Has[MesiCluster] = Write & forall o: Mesi do State[o] = I end then
      State[j] := E;
    else
      Collect(MesiCluster, true);
      State[j] := S;
    end;
    Data[j] := Copy[MesiCluster];
  end;

  rule "MESI write miss"
    (State[j] = I | State[j] = S) & Has[MesiCluster] = Write
  ==>
    Collect(MesiCluster, false);
    State[j] := M;
    Owner[MesiCluster] := j;
    Data[j] := Copy[MesiCluster];
    undefine Copy[MesiCluster];
  end;

  rule "MESI evict"
    State[j] != I
  ==>
    if State[j] = M then
      Copy[MesiCluster] := Data[j];
      undefine Owner[MesiCluster];
    end;
    State[j] := I;
    undefine Data[j];
  end;
end;

ruleset j: Mesi; v: Value do
  rule "MESI store"
    State[j] = E | State[j] = M
  ==>
    State[j] := M;
    Data[j] := v;
    Owner[MesiCluster] := j;
    undefine Copy[MesiCluster];
    Last := v;
  end;
end;

-- clusters and the directory

ruleset c: Cluster do
  rule "Ask to read"
    Want = None & Has[c] = None
  ==>
    Want := Read;
    Client := c;
  end;

  rule "Ask to write"
    Want = None & Has[c] != Write
  ==>
    Want := Write;
    Client := c;
  end;

  rule "Give up"
    Want = Write & c = Other(Client) & Has[c] != None
  ==>
    Collect(c, false);
    Has[c] := None;
    Memory := Copy[c];
    undefine Copy[c];
  end;

  rule "Read only"
    Want = Read & c = Other(Client) & Has[c] = Write
  ==>
    Collect(c, true);
    Has[c] := Read;
    Memory := Copy[c];
  end;

  rule "Grant"
    Want != None & c = Client &
    (Want = Write & Has[Other(c)] = None | Want = Read & Has[Other(c)] != Write)
  ==>
    Has[c] := Want;
    Copy[c] := Memory;
    if Want = Write then
      undefine Memory;
    end;
    Want := None;
    undefine Client;
  end;
end;

invariant "OneWriter"
  forall p: Cache do forall q: Cache do
    p != q & (State[p] = M | State[p] = E) -> State[q] = I
  end end;

invariant "DataProp"
  forall p: Cache do State[p] != I -> Data[p] = Last end;
