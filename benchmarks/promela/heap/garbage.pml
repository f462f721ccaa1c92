/* Nothing is deleted: a process makes a ring of two objects and forgets it, again and again, and another one makes an
   object and ends. What is out of reach is dropped at each step, so there is room for the next ones.
   expect: safe */
typedef Leaf { bit filled }
typedef Node { Node &next; Leaf &leaf[2] }
heap Node[3], Leaf[1];

proctype visitor() {
  Node &n;
  n = new Node;
  n.next = n
}

active proctype maker() {
  Node &n;
end:
  do
  :: n = new Node;
     n.next = new Node;
     n.next.next = n;
     n.leaf[1] = new Leaf;
     n.next.leaf[0] = n.leaf[1];
     n.leaf[1].filled = 1;
     n = n.next;
     assert(n.leaf[0].filled);
     n = null
  :: _nr_pr == 1 -> run visitor()
  od
}
