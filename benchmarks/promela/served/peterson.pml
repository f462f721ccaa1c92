/* Of the filter of peterson.pml: who waits at the first level comes back from the last one, if each process that can
   always move does so.
   expect: safe */
#include "../peterson.pml"

ltl served { [] (process[1]:level == 1 -> <> (process[1]:level == 0)) }
