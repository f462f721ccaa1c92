-- Each construct ends with end or with the word made for it.
-- cmurphi: safe states=2
-- rumur: safe states=2
type T: 0..1; R: record x: T endrecord;
var r: R; b: boolean;
procedure p(); begin r.x := 0; endprocedure;
function f(): T; begin return 1 - r.x; endfunction;
startstate begin p(); b := true; endstartstate;
ruleset i: T do
  rule "set" begin
    if r.x = i then r.x := f(); endif;
    while r.x = i do r.x := 1 - r.x; endwhile;
    for j: T do b := r.x != i | j = j; endfor;
    switch r.x case 1: b := true; case 0: b := !false; endswitch;
    alias a: r.x do a := a; endalias;
    assert (forall j: T do j >= 0 endforall) "all";
    assert (exists j: T do j = r.x endexists) "one";
  endrule;
endruleset;
