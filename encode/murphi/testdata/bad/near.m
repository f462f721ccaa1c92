-- Names that are not declared, and what may have been meant: types for types,
-- functions for calls, values for the rest.
type Message : record Kind, Address : 0..3; end; Messages : array [0..1] of Message;
var network : Messages; count, n : 0..3; Mesage : boolean;
function Massage() : boolean; begin return true; end;
var late : Mesage; -- ERROR 12 "Mesage is not a type"
    other : Mesages; -- ERROR 13 "Mesages is not declared; did you mean Messages[?]"
startstate begin
  netwrok[0].Kind := 0; -- ERROR 3 "netwrok is not declared; did you mean network[?]"
  network[0].Adress := 0; -- ERROR 13 "type Message has no field Adress; did you mean Address[?]"
  network[0].Data := 0; -- ERROR 13 "type Message has no field Data$"
  conut := 1; -- ERROR 3 "conut is not declared; did you mean count[?]"
  Count := 1; -- ERROR 3 "Count is not declared; did you mean count[?]"
  N := 1; -- ERROR 3 "N is not declared; did you mean n[?]"
  m := 1; -- ERROR 3 "m is not declared$"
  Mesage := Message(); -- ERROR 13 "Message is not a procedure or function"
  Mesage := Messag(); -- ERROR 13 "Messag is not declared; did you mean Massage[?]"
end;
