/* Leader election in a ring of processes that are alike: the order in which they begin
   gives them their numbers, and the greatest one wins (Chang and Roberts). So the ring can
   be rotated.
   expect: safe */
#ifndef N
#define N 3
#endif

chan link[N] = [N] of { byte };
byte given, leaders;

active [N] proctype node() {
  byte mine, n;
  d_step { given++; mine = given }
  link[(_pid + 1) % N]!mine;
end:
  do
  :: link[_pid]?n ->
     if
     :: n > mine -> link[(_pid + 1) % N]!n
     :: n < mine
     :: n == mine -> leaders++; assert(leaders == 1)
     fi;
     n = 0
  od
}
