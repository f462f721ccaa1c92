/* Of the ring of leader_ring.pml: a leader is elected, if each process that can always move does so.
   expect: safe */
#include "../leader_ring.pml"

ltl served { <> (leaders == 1) }
