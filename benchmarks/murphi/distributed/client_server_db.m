-- A server asks a database to answer requests.
--
-- The server gives each request that it handles a ticket that no client has. It asks the database under this ticket, and
-- hands the answer on to the client of the ticket. A response that a client receives belongs to some request that this
-- client has sent. Which responses belong to which requests is arbitrary: any pair may be matched until the first request.
--
-- Source: the problem client_server_db_ae of the field (mypyvy, SWISS, DuoAI); this text is our own.

const CLIENTS: 2; REQUESTS: 2; RESPONSES: 2; TICKETS: 2;

type Client:   scalarset(CLIENTS);
     Request:  scalarset(REQUESTS);
     Response: scalarset(RESPONSES);
     Ticket:   scalarset(TICKETS);

var Match:    array[Request] of array[Response] of boolean;
    Running:  boolean;
    Asked:    array[Client] of array[Request] of boolean;
    Owner:    array[Ticket] of Client;                   -- undefined before the ticket is given
    Query:    array[Ticket] of array[Request] of boolean;
    Result:   array[Ticket] of array[Response] of boolean;
    Answered: array[Client] of array[Response] of boolean;
    Received: array[Client] of array[Response] of boolean;

startstate
  for r: Request do for p: Response do Match[r][p] := false; end; end;
  Running := false;
  for c: Client do
    for r: Request do Asked[c][r] := false; end;
    for p: Response do Answered[c][p] := false; Received[c][p] := false; end;
  end;
  for t: Ticket do
    for r: Request do Query[t][r] := false; end;
    for p: Response do Result[t][p] := false; end;
  end;
end;

ruleset r: Request; p: Response do
  rule "Match" !Running ==> begin Match[r][p] := true; end;
end;

rule "Begin" !Running ==> begin Running := true; end;

ruleset c: Client; r: Request do
  rule "Ask" Running ==> begin Asked[c][r] := true; end;
end;

ruleset t: Ticket; c: Client; r: Request do
  rule "Handle" Asked[c][r] & isundefined(Owner[t]) ==> begin
    Owner[t] := c;
    Query[t][r] := true;
  end;
end;

ruleset t: Ticket; r: Request; p: Response do
  rule "Look up" Query[t][r] & Match[r][p] ==> begin Result[t][p] := true; end;
end;

ruleset t: Ticket; c: Client; p: Response do
  rule "Answer" Result[t][p] & !isundefined(Owner[t]) & Owner[t] = c ==> begin Answered[c][p] := true; end;
end;

ruleset c: Client; p: Response do
  rule "Receive" Answered[c][p] ==> begin Received[c][p] := true; end;
end;

invariant "Asked"
  forall c: Client do forall p: Response do
    Received[c][p] -> exists r: Request do Asked[c][r] & Match[r][p] end
  end end;
