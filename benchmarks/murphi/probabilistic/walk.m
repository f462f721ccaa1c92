-- A random walk between two barriers: the gambler's ruin. With r = (1 - P) / P, P=? [F x = N] is (1 - r) / (1 - r^N).
const N : 4; P : 0.3;
var x : 0..N;
startstate x := 1; end;
rule "up" 0 < x & x < N ? P : 0.0 ==> x := x + 1; end;
rule "down" 0 < x & x < N ? 1 - P : 0.0 ==> x := x - 1; end;
