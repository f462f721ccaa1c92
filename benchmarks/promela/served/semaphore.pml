/* Processes with a semaphore. One that asks may be passed over for ever: it can take the semaphore again and again, but
   not always.
   expect: unsafe */
#ifndef N
#define N 3
#endif

byte used;

active [N] proctype user() {
  do
  :: true;
wait:
     d_step { used == 0; used = 1 }
     used = 0
  od
}

ltl served { [] (user[0]@wait -> <> !user[0]@wait) }
