/* Claims of three kinds about two processes that ask for a resource. "exclusion" needs no memory; "order" and
   the never claim remember; "answered" is about infinite runs, and is not checked. A process may
   use the resource twice in a row while the other one waits, which the never claim finds.
   expect: violated after 6 steps */
#ifndef N
#define N 2
#endif

byte asked, using, uses;

active [N] proctype user() {
  do
  :: asked++;
     atomic { using == 0; using++; uses = (uses + 1) % 3 }
     atomic { using--; asked-- }
  od
}

ltl exclusion { [] (using <= 1) }
ltl order { using == 0 W asked > 0 }
ltl answered { [] (asked > 0 -> <> (using > 0)) }

never twice {
  do
  :: asked == N && uses == 1 && using == 1 -> break
  :: true
  od;
  do
  :: asked == N && uses == 2 && using == 1 -> break
  :: asked >= 1
  od
}
