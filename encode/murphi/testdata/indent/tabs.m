type NODE : scalarset(2);
var x : array [NODE] of 0..3;
    y : 0..3;

ruleset n : NODE do
	rule "up"
		x[n] < 3
	==>
		x[n] := x[n] + 1;
		if y < 3 then
			y := y + 1;
		end;
	end;
end;

startstate
	for n : NODE do
		x[n] := 0;
	end;
	y := 0;
end;
