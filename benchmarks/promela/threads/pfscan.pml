/* A parallel search of files, after pfscan: N threads, the first of which fills a queue of FILES paths; the
   others take paths from it until it is empty and closed, and count what they find. VARIANT 1: the queue is full and
   closed at the start, and taking is one step. 2: the queue is filled while the workers run, under a mutex that is taken
   and released in steps of their own; a worker waits for a path, or for the end. 3: as 2, and the queue holds the paths, of which
   each second one is a find. BUG: a worker looks whether there is a path before it takes the mutex, and does
   not look again.
   expect: safe; with BUG: violated */
#ifndef N
#define N 3
#endif
#ifndef FILES
#define FILES N
#endif
#ifndef VARIANT
#define VARIANT 1
#endif

#if VARIANT == 1
byte queued = FILES;
bit closed = 1;
#else
byte queued;
bit closed;
#endif
byte taken, found, mutex, counting;
byte path[FILES];

inline lock(m) { d_step { m == 0; m = 1 } }
inline unlock(m) { m = 0 }

#if VARIANT != 1
active proctype main() {
  byte i;
  do
  :: i < FILES ->
     lock(mutex);
#if VARIANT == 3
     path[i] = i + 1;
#endif
     queued++;
     unlock(mutex);
     i++
  :: else -> break
  od;
  lock(mutex);
  closed = 1;
  unlock(mutex)
}
#endif

active [N - 1] proctype worker() {
  byte p;
  do
  :: true ->
#if VARIANT == 1
#ifdef BUG
     if
     :: queued == 0 -> break
     :: else
     fi;
     assert(queued > 0);
#endif
     if
     :: d_step { queued > 0 -> queued--; p = taken; taken++ }
     :: queued == 0 -> break
     fi;
#else
#ifdef BUG
     if
     :: queued > 0
     :: queued == 0 && closed -> break
     fi;
     lock(mutex);
     assert(queued > 0);
#else
     d_step { mutex == 0 && (queued > 0 || closed); mutex = 1 };
#endif
     if
     :: queued == 0 -> unlock(mutex); break
     :: else
     fi;
     queued--;
     p = taken;
     taken++;
     unlock(mutex);
#endif
#if VARIANT == 3
     p = path[p];
#endif
     lock(counting);
     if
     :: p % 2 == 1 -> found++
     :: else
     fi;
     unlock(counting)
  od
}
