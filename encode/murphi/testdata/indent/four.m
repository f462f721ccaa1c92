const N : 2;
      K : 3;
type NODE : scalarset(N);
     CELL :
         record
             Left : 0..K;
             Right : 0..K
         end;
var cell : array [NODE] of CELL;

/* Rules are as deep as the ruleset around them,
   and what is in them is four columns deeper. */
ruleset n : NODE do
rule "step"
    cell[n].Left < K & (forall m : NODE do
                            cell[m].Left < K
                        end)
    ==>
    begin
        if cell[n].Left = 0
            then cell[n].Left := 1;
            else cell[n].Left := cell[n].Left + 1;
        endif;
        switch cell[n].Left
            case 0, 1: cell[n].Right := 0;
                       cell[n].Left := 2;
            case 2: cell[n].Right := 1;
        endswitch;
-- cell[n].Right := 2;
    endrule;
endruleset;

startstate
    for n : NODE do cell[n].Left := 0; cell[n].Right := 0; end;
endstartstate;

invariant "small" forall n : NODE do
                      cell[n].Right < 2
                  end;
