-- Conditions call nothing that changes something: a state variable, what a var
-- parameter stands for, directly or through calls and aliases.
var n, m : 0..3; b : boolean; a : array [0..1] of 0..3;
function Sets() : boolean; begin n := 1; return true; end;
function Inc(var x : 0..3) : boolean; begin x := x + 1; return true; end;
function Calls() : boolean; begin return Inc(m); end;
function Passes(var x : 0..3) : boolean; begin alias y : x do return Inc(y); end; end;
function Aliased(i : 0..1) : boolean; begin alias y : a[i] do undefine y; end; return true; end;
function Local() : boolean; var l : 0..3; begin l := 0; return Inc(l); end;
function Reads(var x : 0..3) : boolean; begin return x = 0; end;
function Deep(var x, y : 0..3; d : 0..3) : boolean; begin
  if d = 0 then x := 0; return true; end;
  return Deep(y, x, d - 1);
end;
function Assumes() : boolean; begin assume b; return true; end;
function Covers() : boolean; begin cover b; return true; end;
function Again(var x : 0..3) : boolean; begin
  assume Again(n); -- ERROR 10 "Again cannot be called in the assumption, .*: it has an assume statement at 18:3"
  return true;
end;
startstate b := Sets() & Inc(n) & Deep(n, m, 2); while Inc(n) do end; if Passes(m) then end; end;
rule Local() & Reads(n) ==> assert Sets(); end;
rule Sets() ==> end; -- ERROR 6 "Sets cannot be called in the guard, which must not change anything: it changes n at 4:34"
rule Inc(n) ==> end; -- ERROR 6 "Inc cannot be called in the guard, .*: it changes x at 5:45, which may be a part of n; CMurphi keeps the change for the guards and the steps of all rules, also where this guard is false: change a local copy, or change it in the body of the rule$"
rule Calls() ==> end; -- ERROR 6 "Calls cannot be called in the guard, .*: it changes x at 5:45, which may be a part of m; CMurphi keeps .* body of the rule$"
rule Passes(n) ==> end; -- ERROR 6 "Passes cannot be called in the guard, .*: it changes x at 5:45"
rule Aliased(0) ==> end; -- ERROR 6 "Aliased cannot be called in the guard, .*: it changes a at 8:72; CMurphi keeps .* body of the rule$"
rule Deep(n, m, 1) ==> end; -- ERROR 6 "Deep cannot be called in the guard, .*: it changes x at 12:17"
rule forall i : 0..1 do Assumes() end ==> end; -- ERROR 25 "Assumes cannot be called in the guard, .*: it has an assume statement at 15:37$"
invariant Covers(); -- ERROR 11 "Covers cannot be called in the invariant, .*: it has a cover statement at 16:36"
assume Sets(); -- ERROR 8 "Sets cannot be called in the assumption"
cover Sets(); -- ERROR 7 "Sets cannot be called in the cover property"
liveness Sets(); -- ERROR 10 "Sets cannot be called in the liveness property"
rule assume Sets(); cover Sets(); end; -- ERROR 13 "Sets cannot be called in the assumption" -- ERROR 27 "Sets cannot be called in the cover property"
alias x : Sets() do rule end; end; -- ERROR 11 "Sets cannot be called in an alias around rules"
function Match(var x : 0..3; y : 0..3) : boolean; begin if x = 0 then x := y; end; return x = y; end;
function Any(y : 0..3) : boolean; begin
  for i : 0..1 do if Match(a[i], y) then return true; end; end;
  return false;
end;
function Copied(y : 0..3) : boolean; var c : array [0..1] of 0..3; begin c := a; return Match(c[0], y); end;
rule Any(1) ==> end; -- ERROR 6 "Any cannot be called in the guard, .*: it changes x at 36:71, which may be a part of a; CMurphi keeps .* body of the rule$"
rule Copied(1) & forall i : 0..3 do !Copied(i) end ==> end;
