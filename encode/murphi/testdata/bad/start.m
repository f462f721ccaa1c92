var x : boolean; -- ERROR 1 "the model has no start state"
rule x := x; end;
