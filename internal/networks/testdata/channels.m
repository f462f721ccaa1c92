-- Requests and responses in queues of their own: two variables, each with a queue for each receiver, as generated models have.
type P: scalarset(2); K: enum {Request, Response}; M: record kind: K; src: P; end;
var req: array [P] of array [0..1] of M; count_req: array [P] of 0..2;
resp: array [P] of array [0..1] of M; count_resp: array [P] of 0..2;
procedure send_req(m: M; d: P);
begin assert count_req[d] < 2 "full"; req[d][count_req[d]] := m; count_req[d] := count_req[d] + 1; end;
procedure pop_req(d: P);
begin
  for i := 0 to count_req[d] - 1 do
    if i < count_req[d] - 1 then req[d][i] := req[d][i+1]; else undefine req[d][i]; end;
  end;
  count_req[d] := count_req[d] - 1;
end;
procedure send_resp(m: M; d: P);
begin assert count_resp[d] < 2 "full"; resp[d][count_resp[d]] := m; count_resp[d] := count_resp[d] + 1; end;
procedure pop_resp(d: P);
begin
  for i := 0 to count_resp[d] - 1 do
    if i < count_resp[d] - 1 then resp[d][i] := resp[d][i+1]; else undefine resp[d][i]; end;
  end;
  count_resp[d] := count_resp[d] - 1;
end;
function answered(var m: M; p: P): boolean;
var r: M;
begin r.kind := Response; r.src := p; send_resp(r, m.src); return true; end;
startstate
  undefine req; undefine resp;
  for p: P do count_req[p] := 0; count_resp[p] := 0; end;
end;
ruleset p: P; q: P do
  rule "ask" p != q & count_req[q] < 2 ==> var m: M; begin m.kind := Request; m.src := p; send_req(m, q); end;
  alias m: req[p][0] do
    rule "answer" count_req[p] > 0 & m.src = q & count_resp[q] < 2 ==> if answered(m, p) then pop_req(p); end; end;
  end;
end;
ruleset p: P do rule "take" count_resp[p] > 0 ==> pop_resp(p); end; end;
