/* The e-mail system of email.pml, with clients that are handed a number and a mailbox each: they are
   interchangeable together with these.
   expect: safe */
#ifndef N
#define N 3
#endif

chan invite = [0] of { byte };
chan server = [0] of { byte, byte };   /* from, to */
chan box[N] = [1] of { byte };         /* from */

proctype mailer() {
  byte from, to;
end:
  do
  :: server ? from, to ->
     if
     :: box[to] ! from
     :: full(box[to])
     fi
  od
}

proctype client(byte id; chan mine) {
  byte other;
end:
  do
  :: invite ! id
  :: invite ? other ->
     server ! id, other
  :: mine ? other ->
     assert(other != id)
  od
}

init {
  byte i;
  atomic {
    run mailer();
    do
    :: i < N -> run client(i, box[i]); i++
    :: else -> break
    od
  }
end:
  false
}
