-- The first node sends A and B to the second one, which sends C if it gets B first. Nobody takes C.
type P: enum {one, two}; KIND: enum {A, B, C}; STATE: enum {fresh, first, wrong};
     MESSAGE: record kind: KIND; src: P; dst: P; end;
var Net: multiset[3] of MESSAGE; state: STATE; busy: boolean; asked: boolean;
procedure Send(k: KIND; src: P; dst: P);
var m: MESSAGE;
begin
  m.kind := k; m.src := src; m.dst := dst;
  multisetadd(m, Net);
end;
startstate undefine Net; state := fresh; busy := false; asked := false; end;
rule "begin" !busy ==> Send(A, one, two); Send(B, one, two); busy := true; end;
rule "ask" state = wrong & !asked ==> Send(C, two, one); asked := true; end;
choose m: Net do
  rule "take A" Net[m].kind = A ==> multisetremove(m, Net); if state = fresh then state := first; end; end;
  rule "take B" Net[m].kind = B ==>
    multisetremove(m, Net);
    if state = first then state := fresh; busy := false; else state := wrong; end;
  end;
end;
