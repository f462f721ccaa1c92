-- A violation that is near, and one that is not.
var n: 0..9;
startstate n := 0; end;
rule "up" n < 9 ==> n := n + 1; end;
rule "down" n > 0 ==> n := n - 1; end;
invariant "low" n < 2;
invariant "high" n < 9;
