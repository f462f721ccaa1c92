-- Multisets and their elements.
type M : multiset [0] of boolean; -- ERROR 10 "the size of a multiset must be in 1..16777216, not 0"
  N : multiset [4000] of array [0..4999] of boolean; -- ERROR 7 "the multiset has more than 16777216 simple parts"
  Net : multiset [2] of 0..3; R : record n : Net; end; Q : record n : Net; end;
var net, net2 : Net; other : multiset [2] of 0..3; n : 0..3; b : boolean; r : R; q : Q;
startstate
  n := net[0]; -- ERROR 12 "the index must name an element of this multiset type, bound by choose, "
  n := multisetcount(i : net, net[i]); -- ERROR 31 "the condition of multisetcount must be boolean"
  n := multisetcount(i : n, true); -- ERROR 26 "a multiset is needed, not type 0..3"
  n := multisetcount(i : net, other[i] = 0); -- ERROR 37 "the index must name an element of this multiset type"
  n := multisetcount(i : net, net2[i] = 0);
  b := i = i; -- ERROR 8 "i is not declared" -- ERROR 12 "i is not declared"
  multisetadd(b, net); -- ERROR 15 "the multiset holds elements of type 0..3, not boolean"
  multisetadd(1, n); -- ERROR 18 "a multiset is needed, not type 0..3"
  multisetremove(0, net); -- ERROR 18 "multisetremove needs the name of an element of this multiset type"
  multisetremovepred(i : net, n); -- ERROR 31 "the condition of multisetremovepred must be boolean"
  multisetremovepred(i : net, net[i] = 0 & true) ;
  b := net = net2; -- ERROR 12 "types Net and Net cannot be compared"
  net := other; -- ERROR 3 "a value of type multiset .2. of 0..3 cannot be assigned to type Net"
  r := q;
end;
choose i : net do
  startstate end; -- ERROR 3 "a start state cannot stand in a choose"
  liveness true; -- ERROR 3 "a liveness property cannot stand in a choose"
  rule i := i; multisetremove(i, other); end; -- ERROR 8 "i is a bound variable and cannot be assigned" -- ERROR 31 "multisetremove needs the name"
end;
choose i : n do rule net[i] = 0 ==> end end; -- ERROR 12 "a multiset is needed, not type 0..3"
