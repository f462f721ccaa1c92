-- Clients link to servers, each of which has one place.
--
-- Source: the problem lock_server_sync of the field (I4, DistAI, DuoAI); this text is our own.

const CLIENTS: 2; SERVERS: 2;

type Client: scalarset(CLIENTS); Server: scalarset(SERVERS);

var Link: array[Client] of array[Server] of boolean;
    Free: array[Server] of boolean;

startstate
  for s: Server do Free[s] := true; for c: Client do Link[c][s] := false; end; end;
end;

ruleset c: Client; s: Server do
  rule "Connect" Free[s] ==> begin Link[c][s] := true; Free[s] := false; end;
  rule "Disconnect" Link[c][s] ==> begin Link[c][s] := false; Free[s] := true; end;
end;

invariant "Alone"
  forall s: Server do forall c: Client do forall d: Client do Link[c][s] & Link[d][s] -> c = d end end end;
