/* An ordered list with a lock in each node, taken hand over hand: one process inserts keys from 1 to L, another
   one takes them out. The first node is no element. After the list of R. Iosif, "Symmetry reduction
   criteria for software model checking" (SPIN 2002), whose model is not published.
   expect: safe */
#ifndef L
#define L 4
#endif

typedef Node { Node &next; byte key; mutex m }
heap Node[L + 1];
Node &head;

/* The last node before a key, locked, and the one behind it. */
inline find() {
  select(k : 1 .. L);
  before = head;
  lock(before.m);
  here = before.next;
  do
  :: here != null && here.key < k ->
     lock(here.m);
     unlock(before.m);
     before = here;
     here = here.next
  :: else -> break
  od
}

inline leave() {
  unlock(before.m);
  d_step { before = null; here = null; k = 0 }
}

active proctype inserter() {
  Node &before; Node &here; Node &made; byte k;
  head = new Node;
end:
  do
  :: find();
     if
     :: here != null && here.key == k
     :: else ->
        made = new Node;
        made.key = k;
        made.next = here;
        before.next = made;
        made = null
     fi;
     leave()
  od
}

active proctype extractor() {
  Node &before; Node &here; byte k;
end:
  head != null;
  do
  :: find();
     if
     :: here != null && here.key == k ->
        lock(here.m);
        before.next = here.next;
        d_step { delete here; here = null }
     :: else
     fi;
     leave()
  od
}
