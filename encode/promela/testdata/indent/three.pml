/* Three columns; options are deeper than their do. */
#define N 2
   #define M 3
mtype = { req,
          ack };
chan q = [N] of { mtype };

active [N] proctype P()
{
   byte own;
again:
   do
      :: q!req;
         own = 1
      :: q?ack ->
         if
            :: own == 1 &&
               len(q) == 0 -> skip
            :: else -> goto again
         fi
      // the end
      :: else -> break
   od
}
