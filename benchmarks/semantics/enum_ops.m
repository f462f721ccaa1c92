-- Members of an enum are compared with = and != only.
-- cmurphi: safe states=2
-- rumur: safe states=2
type E: enum {Red, Green};
var e: E;
startstate begin e := Red; end;
rule begin if e = Red then e := Green else e := Red end; assert e != Red | e = Red "eq"; end;
