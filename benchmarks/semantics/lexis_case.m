-- Keywords and the names true, false and boolean may be written in any case; all
-- other names may not: n and N are two variables.
-- cmurphi: safe states=2
-- rumur: safe states=2
VAR n: Boolean; N: BOOLEAN;
StartState Begin n := FALSE; N := True; End;
RULE "swap" BEGIN n := !n; N := !N; ASSERT n != N "two"; END;
