type NODE : scalarset(2);
var
    x : array [NODE] of 0..3;

ruleset n : NODE do
	rule "up"
		x[n] < 3
	==>
        if x[n] = 2 then
		    x[n] := 3;
        end;
		if x[n] = 1 then
            x[n] := 2;
		end;
    end;
end;

startstate
	for n : NODE do x[n] := 0; end;
end;
