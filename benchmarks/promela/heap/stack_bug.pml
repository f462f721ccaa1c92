/* Two processes take the same object off a stack.
   expect: "reference use" violated */
#define BUG
#include "stack.pml"
