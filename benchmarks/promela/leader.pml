/* Leader election in a ring with a channel from each process to the next (Chang and
   Roberts). The number of a process decides.
   expect: safe */
#ifndef N
#define N 3
#endif

chan link[N] = [N] of { byte };
byte leaders;

active [N] proctype node() {
  byte n;
  link[(_pid + 1) % N]!_pid;
end:
  do
  :: link[_pid]?n ->
     if
     :: n > _pid -> link[(_pid + 1) % N]!n
     :: n < _pid
     :: n == _pid -> leaders++; assert(leaders == 1)
     fi
  od
}
