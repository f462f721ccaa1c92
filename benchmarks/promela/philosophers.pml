/* Dining philosophers with a semaphore for each fork. All take the left fork first, so
   all can wait for each other.
   expect: deadlock after N steps; N=3: 75 states, 124 transitions */
#ifndef N
#define N 3
#endif

byte fork[N] = 1;

active [N] proctype philosopher() {
  d_step { fork[_pid] > 0; fork[_pid]-- }
  d_step { fork[(_pid + 1) % N] > 0; fork[(_pid + 1) % N]-- }
  fork[_pid]++;
  fork[(_pid + 1) % N]++;
end:
  false
}
