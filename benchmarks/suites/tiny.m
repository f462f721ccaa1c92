-- Two states: what a tool costs before it does anything.
--
-- expect: safe states=2

var x: boolean;
startstate x := true; end;
rule true ==> x := !x; end;
invariant "x" x | !x;
