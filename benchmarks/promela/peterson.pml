/* Mutual exclusion for N processes (Peterson's filter). A process waits at a level until
   another one has come there later, or nobody is as far as it. Process 0 does nothing, so
   0 names nobody.
   expect: safe */
#ifndef N
#define N 3
#endif

byte last[N];     /* by level, from 1: who came last */
byte ahead[N];    /* by level: how many are there, or further */
byte critical;

active proctype nobody() {
end:
  false
}

active [N] proctype process() {
  byte level;
  do
  :: level < N - 1 ->
     d_step { level++; ahead[level]++ }
     last[level] = _pid;
     (last[level] != _pid || ahead[level] == 1)
  :: level == N - 1 ->
     critical++;
     assert(critical == 1);
     critical--;
     do
     :: level > 0 -> d_step { ahead[level]--; level-- }
     :: else -> break
     od
  od
}
