/* One condition for two reasons to wait: signal wakes a process that cannot go on.
   expect: deadlock */
#define BUG
#include "buffer.pml"
