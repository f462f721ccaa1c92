-- Declarations without semicolons.
const
   N: 2
   K: 3

type
   node: scalarset(N)
   cell: record
      left: 0 .. K
      right: 0 .. K
   end

var
   cells: array [node] of cell
   turn: node

startstate begin
   for n: node do
      cells[n].left := 0;
      cells[n].right := 0;
      turn := n;
   end;
end

ruleset n: node do
   rule "turn"
         turn != n
      ==>
      begin
         turn := n;
      end
end
