-- Two columns, sections deeper than their words, conditions under each other.
const
  N : 2;
type
  NODE : scalarset(N);
  CMD : enum {
    Get,
    Ack
  };
  CELL : record
    Cmd : CMD;
    Dst, Src,
    Req : NODE;
  end;
var
  cell : array [NODE] of CELL;

procedure send(n : NODE; c : CMD);
var
  old : CMD;
begin
  old := cell[n].Cmd;
  if old = Get &
     c = Ack then
    cell[n].Cmd := c;
  elsif old = Ack
  then
    cell[n].Cmd := Get;
  else
    cell[n].Dst := n;
  endif;
end;

ruleset n : NODE do
  rule "ack"
    cell[n].Cmd = Get
    & exists m : NODE do m != n end
  ==>
  begin
    switch cell[n].Cmd
    case Get:
      send(n, Ack);
    -- else the cell is free
    else
      clear cell[n].Dst;
    endswitch;
  endrule;
endruleset;

startstate
  for n : NODE do
    cell[n].Cmd := Get;
  end;
end;

invariant "known"
  forall n : NODE do
    cell[n].Cmd = Get |
    cell[n].Cmd = Ack
  end;
