/* Readers and writers with a lock that readers share. A writer checks in one step that
   nobody is inside.
   expect: safe */
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
  :: atomic { readers == 0 && writers == 0; writers++ }
     assert(readers == 0 && writers == 1);
     writers--
  od
}
