/* Readers and writers whose writers check and enter in two steps.
   expect: violated after 4 steps */
#ifndef R
#define R 2
#endif
#ifndef W
#define W 2
#endif

byte readers, writers;

active [R] proctype reader() {
  do
  :: atomic { writers == 0; readers++ }
     assert(writers == 0);
     readers--
  od
}

active [W] proctype writer() {
  do
  :: (readers == 0 && writers == 0);
     writers++;
     assert(readers == 0 && writers == 1);
     writers--
  od
}
