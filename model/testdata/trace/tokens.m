-- Nodes ask a home node for a token through an unordered network.
type
  P: scalarset(3);
  H: enum { home };
  N: union { P, H };
  K: enum { ask, grant };
  M: record k: K; dst: N; src: N; end;
var
  net: multiset[3] of M;
  has: array [N] of boolean;
  asked: array [P] of boolean;

procedure send(k: K; dst: N; src: N);
var m: M;
begin
  m.k := k; m.dst := dst; m.src := src;
  multisetadd(m, net);
end;

startstate "init" begin
  for n: N do has[n] := false; end;
  for p: P do asked[p] := false; end;
  has[home] := true;
  undefine net;
end;

ruleset p: P do
  rule "ask" !asked[p] & !has[p] & multisetcount(i: net, true) < 3 ==>
  begin
    asked[p] := true;
    send(ask, home, p);
  end;
end;

choose i: net do
  rule "serve" net[i].k = ask & has[home] ==>
  begin
    alias m: net[i] do
      m.k := grant; m.dst := m.src; m.src := home;
    end;
    has[home] := false;
  end;

  rule "receive" net[i].k = grant ==>
  begin
    asked[net[i].dst] := false;
    has[net[i].dst] := true;
    multisetremove(i, net);
  end;

  rule "lose" net[i].k = ask ==>
  begin
    asked[net[i].src] := false;
    multisetremove(i, net);
  end;
end;

ruleset p: P do
  rule "return" has[p] ==> begin has[p] := false; has[home] := true; end;
end;

choose i: net do choose j: net do
  rule "swap" i != j & net[i].k = ask & net[j].k = ask ==>
  begin
    asked[net[j].src] := false;
    asked[net[i].src] := false;
    net[i].dst := net[j].src;
    multisetremove(j, net);
  end;
end; end;

ruleset p: P do invariant "direct" has[p] -> multisetcount(i: net, !ismember(net[i].dst, H)) = 0; end;
