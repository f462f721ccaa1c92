-- The first node sends A to the third one and Go to the second one, which then sends B to the third one. That one takes A
-- first, or never.
type P: enum {one, two, three}; KIND: enum {A, B, Go};
     MESSAGE: record kind: KIND; src: P; end;
var Net: array [P] of multiset[3] of MESSAGE; sent: boolean; first: boolean; late: boolean;
procedure Send(k: KIND; src: P; dst: P);
var m: MESSAGE;
begin
  m.kind := k; m.src := src;
  multisetadd(m, Net[dst]);
end;
startstate undefine Net; sent := false; first := false; late := false; end;
rule "begin" !sent ==> Send(A, one, three); Send(Go, one, two); sent := true; first := false; end;
ruleset p: P do
  choose m: Net[p] do
    rule "go on" Net[p][m].kind = Go ==> Send(B, two, three); multisetremove(m, Net[p]); end;
    rule "take A" Net[p][m].kind = A & !late ==> multisetremove(m, Net[p]); first := true; end;
    rule "take B" Net[p][m].kind = B ==> late := !first; sent := late; multisetremove(m, Net[p]); end;
  end;
end;
