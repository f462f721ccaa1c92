/* A bounded buffer: a list of at most N objects, under a mutex. Producers wait while it is full, consumers
   while it is empty. With BUG both wait for one condition, and signal wakes one of all: perhaps a process that cannot go on.
   expect: safe; with BUG: deadlock */
#ifndef N
#define N 1
#endif
#ifndef PROCS
#define PROCS 2
#endif

typedef Item { Item &next }
heap Item[N + PROCS];
Item &first;
byte length;
mutex m;
#ifdef BUG
cond changed;
#define room changed
#define filled changed
#else
cond room, filled;
#endif

active [PROCS] proctype producer() {
  Item &made;
  made = new Item;
  lock(m);
end:
  do
  :: length == N -> wait(room, m)
  :: else -> break
  od;
  d_step { made.next = first; first = made; length++; made = null };
  assert(length <= N);
  signal(filled);
  unlock(m)
}

active [PROCS] proctype consumer() {
  Item &taken;
  lock(m);
  do
  :: length == 0 -> wait(filled, m)
  :: else -> break
  od;
  d_step { taken = first; first = taken.next; length-- };
  signal(room);
  unlock(m);
  delete taken
}
