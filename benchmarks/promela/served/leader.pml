/* Of the ring of leader.pml: a leader is elected, if each process that can always move does so.
   expect: safe */
#include "../leader.pml"

ltl served { <> (leaders == 1) }
