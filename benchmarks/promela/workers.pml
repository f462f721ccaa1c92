/* Workers that init runs share tickets. The first one takes two at a time, so the others are
   interchangeable among themselves only.
   expect: safe */
#ifndef N
#define N 4
#endif

byte tickets = 3;

proctype worker(byte share) {
  do
  :: atomic { tickets >= share -> tickets = tickets - share }
     assert(tickets <= 2);
     tickets = tickets + share
  od
}

init {
  byte i;
  atomic {
    run worker(2);
    for (i : 2 .. N) { run worker(1) }
    i = 0
  }
}
