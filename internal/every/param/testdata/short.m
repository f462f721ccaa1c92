const N: 3; type NODE: scalarset(N); action: enum {Idle, Busy};
var new_state: array [NODE] of action; Next: NODE; link__up, was: array [NODE] of boolean; peer: array [NODE] of NODE;
startstate begin for n: NODE do new_state[n] := Idle; link__up[n] := true; was[n] := true; peer[n] := n; end; undefine Next; end;
ruleset d: NODE do startstate begin for n: NODE do new_state[n] := Idle; link__up[n] := n = d; was[n] := false; peer[n] := d; end; undefine Next; end; end;
ruleset n: NODE do
  rule "init" isundefined(Next) & new_state[n] = Idle ==> new_state[n] := Busy; Next := n; end;
  rule "new" !isundefined(Next) & Next = n ==> new_state[Next] := Idle; undefine Next; end;
  rule "swap" var up: boolean; begin
    assert "busy" new_state[n] = Busy -> Next = n;
    up := link__up[n]; link__up[n] := was[n] & new_state[peer[n]] = Idle; was[n] := up;
  end;
  rule "drop" link__up[n] := false; end;
end;
ruleset n: NODE; I1: NODE do rule peer[n] := peer[I1]; peer[I1] := peer[n]; end; end;
assume "some" exists n: NODE do link__up[n] | was[n] end;
invariant "one" forall p: NODE do new_state[p] = Busy -> !isundefined(Next) & p = Next end;
