-- Two nodes send each other requests, as long as there is room, and answer each with a response, which is always taken.
type P: scalarset(2); KIND: enum {Request, Response};
     MESSAGE: record kind: KIND; src: P; dst: P; end;
var Net: multiset[12] of MESSAGE;
procedure Send(k: KIND; src: P; dst: P);
var m: MESSAGE;
begin
  m.kind := k; m.src := src; m.dst := dst;
  multisetadd(m, Net);
end;
startstate undefine Net; end;
ruleset p: P; q: P do
  rule "request" p != q ==> Send(Request, p, q); end;
end;
choose m: Net do
  rule "answer" Net[m].kind = Request ==> Send(Response, Net[m].dst, Net[m].src); multisetremove(m, Net); end;
  rule "take" Net[m].kind = Response ==> multisetremove(m, Net); end;
end;
