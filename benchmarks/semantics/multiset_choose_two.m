-- Two choices of one multiset may choose the same element.
-- cmurphi: unsafe prop="twice" depth=1
-- rumur: unsafe prop="twice" depth=1
-- Rumur gives: rejected
type T: 0..1;
var m: multiset[2] of T; n: T;
startstate begin n := 0; multisetadd(n, m); end;
choose i: m do choose j: m do rule begin n := 1 - n; if i = j then error "twice" end; end; end; end;
