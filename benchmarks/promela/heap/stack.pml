/* A stack in the heap: each process pushes an object, and takes one off again. With BUG taking off is two steps, so
   both may take the same object off.
   expect: safe; with BUG: "reference use" violated */
typedef Node { Node &next; bit filled }
heap Node[2];
Node &top;

active [2] proctype user() {
  Node &n;
  n = new Node;
  n.filled = 1;
  atomic { n.next = top; top = n };
#ifdef BUG
  n = top;
  top = n.next;
#else
  atomic { n = top; top = n.next };
#endif
  assert(n.filled);
  delete n;
  n = null;
end:
  false
}
