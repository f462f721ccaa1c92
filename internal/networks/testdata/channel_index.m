-- Requests and responses in queues that are records of messages and a count, on two virtual networks.
type P: scalarset(2); V: enum {v0, v1}; K: enum {A, B}; M: record kind: K; src: P; end;
Q: record n: 0..2; row: array [0..1] of M; end;
var net: array [V] of array [P] of Q;
procedure send(v: V; k: K; s: P; d: P); var m: M; begin m.kind := k; m.src := s; net[v][d].row[net[v][d].n] := m; net[v][d].n := net[v][d].n + 1; end;
procedure pop(v: V; d: P); begin for i := 1 to net[v][d].n - 1 do net[v][d].row[i-1] := net[v][d].row[i]; end; net[v][d].n := net[v][d].n - 1; clear net[v][d].row[net[v][d].n]; end;
startstate clear net; end;
ruleset p: P; q: P do
rule "ask" p != q & net[v0][q].n < 2 ==> send(v0, A, p, q); end;
rule "answer" p != q & net[v0][p].n > 0 & net[v0][p].row[0].kind = A & net[v1][q].n < 2 ==> pop(v0, p); send(v1, B, p, q); end;
end;
ruleset p: P do
rule "take" net[v1][p].n > 0 & net[v1][p].row[0].kind = B ==> pop(v1, p); end;
end;
