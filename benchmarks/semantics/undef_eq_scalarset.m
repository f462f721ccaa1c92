-- CMurphi compares undefined values of scalarsets: they are equal to each other and
-- to nothing else. Under Rumur this is an error.
-- cmurphi: safe states=3 canon=2
-- rumur: unsafe prop="runtime-error" depth=1
-- rumur: unsafe prop="both" depth=1
type S: scalarset(2);
var s, t: S;
startstate begin end;
ruleset i: S do
  rule begin
    undefine s;
    assert s = t & !(s != t) "both";
    s := i;
    assert s != t & !(s = t) & t != i & s = i "one";
  end;
end;
