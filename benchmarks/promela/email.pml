/* An e-mail system: clients send messages to each other through a mailer, which puts them
   into the mailbox of the receiver, and drops them if that is full. Process 0 is the
   mailer, and a variable that names no client is 0. A client learns of a receiver by an
   invitation, so the clients are interchangeable.
   expect: safe */
#ifndef N
#define N 3
#endif

chan invite = [0] of { byte };
chan server = [0] of { byte, byte };   /* from, to */
chan box[N + 1] = [1] of { byte };     /* from */

active proctype mailer() {
  byte from, to;
end:
  do
  :: server?from,to ->
     if
     :: box[to]!from
     :: full(box[to])
     fi;
     d_step { from = 0; to = 0 }
  od
}

active [N] proctype client() {
  byte from, to;
end:
  do
  :: invite!_pid
  :: invite?to ->
     server!_pid,to;
     to = 0
  :: box[_pid]?from ->
     assert(from != _pid && from != 0);
     from = 0
  od
}
