-- -> does not associate.
-- cmurphi: rejected "associate"
-- rumur: rejected "associate"
var a, b, c: boolean;
startstate begin a := true; b := true; c := true; end;
rule begin a := !a; end;
invariant a -> b -> c;
