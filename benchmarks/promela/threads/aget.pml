/* A download in N segments, after aget: each worker writes its segment in three pieces and adds each piece to
   a common counter. VARIANT 1: adding is one step. 2: it is under a mutex, taken and released in
   steps of their own. 3: a piece goes to the worker's own part first; the last one is followed by a counter of
   workers that run, and a main thread waits for that. BUG: the last piece is added in two steps, without the mutex,
   and the counter is compared with the sum at the end.
   expect: safe; with BUG: violated */
#ifndef N
#define N 3
#endif
#ifndef VARIANT
#define VARIANT 1
#endif

byte written, running = N, mutex;
byte part[N];

inline lock() { d_step { mutex == 0; mutex = 1 } }
inline unlock() { mutex = 0 }

inline add() {
#if VARIANT == 1
  written++
#else
  lock();
  written++;
  unlock()
#endif
}

active [N] proctype worker() {
  byte r;
#if VARIANT == 3
  part[_pid] = 1;
#endif
  add();
#if VARIANT == 3
  part[_pid] = 2;
#endif
  add();
#if VARIANT == 3
  part[_pid] = 3;
#endif
#ifdef BUG
  r = written;
  written = r + 1;
#else
  add();
#endif
#if VARIANT == 3
  lock();
  running--;
  unlock()
#else
  running--
#endif
}

#if VARIANT == 3
active proctype main() {
  running == 0;
  assert(written == 3 * N)
}
#else
#ifdef BUG
active proctype main() {
  running == 0;
  assert(written == 3 * N)
}
#endif
#endif
