-- A server answers requests.
--
-- A response that a client receives belongs to some request that this client has sent. Which responses belong to which
-- requests is arbitrary: at the start nothing is said of it, and any pair may be matched until the first request.
--
-- Source: the problem client_server_ae of the field (mypyvy, SWISS, DuoAI); this text is our own.

const CLIENTS: 2; REQUESTS: 2; RESPONSES: 2;

type Client: scalarset(CLIENTS); Request: scalarset(REQUESTS); Response: scalarset(RESPONSES);

var Match:    array[Request] of array[Response] of boolean;
    Running:  boolean;
    Asked:    array[Client] of array[Request] of boolean;
    Answered: array[Client] of array[Response] of boolean;
    Received: array[Client] of array[Response] of boolean;

startstate
  for r: Request do for p: Response do Match[r][p] := false; end; end;
  Running := false;
  for c: Client do
    for r: Request do Asked[c][r] := false; end;
    for p: Response do Answered[c][p] := false; Received[c][p] := false; end;
  end;
end;

ruleset r: Request; p: Response do
  rule "Match" !Running ==> begin Match[r][p] := true; end;
end;

rule "Begin" !Running ==> begin Running := true; end;

ruleset c: Client; r: Request do
  rule "Ask" Running ==> begin Asked[c][r] := true; end;
end;

ruleset c: Client; r: Request; p: Response do
  rule "Answer" Asked[c][r] & Match[r][p] ==> begin Answered[c][p] := true; end;
end;

ruleset c: Client; p: Response do
  rule "Receive" Answered[c][p] ==> begin Received[c][p] := true; end;
end;

invariant "Asked"
  forall c: Client do forall p: Response do
    Received[c][p] -> exists r: Request do Asked[c][r] & Match[r][p] end
  end end;
