/* A B*-tree of order K in which N updaters insert entries, up to depth D. After R. Iosif, "Symmetry reduction
   criteria for software model checking" (SPIN 2002), whose model is not published. It was "inspired by" R. Bayer,
   M. Schkolnick, "Concurrency of operations on B-trees" (Acta Informatica 9, 1977), so there is a variant for each
   of their solutions, as updaters see them:

     1  going down, lock each node exclusively; give back the locks above a node that is not full
     2  going down, lock nodes as readers do, and the leaf exclusively; if it is full, begin again as in 1
     3  as 1 with locks that exclude updaters only, which become exclusive, from the top down, before anything is written

   A full node is split: a new one takes the upper half. Entries come in ascending order, so each goes behind all
   others; of an entry nothing is kept but its place. The root stays the same node. An updater stops where the root of
   a tree of depth D would have to be split.
   expect: safe */
#ifndef N
#define N 2
#endif
#ifndef K
#define K 4
#endif
#ifndef D
#define D 2
#endif
#ifndef VARIANT
#define VARIANT 1
#endif

#define HALF (K / 2)

/* As many nodes as there are at each depth in the end: nodes that were split have half of their sons. */
#define DEPTH2 K
#define DEPTH3 (HALF * (DEPTH2 - 1) + K)
#define DEPTH4 (HALF * (DEPTH3 - 1) + K)
#if D == 1
#define NODES 1
#elif D == 2
#define NODES 1 + DEPTH2
#elif D == 3
#define NODES 1 + DEPTH2 + DEPTH3
#else
#define NODES 1 + DEPTH2 + DEPTH3 + DEPTH4
#endif

/* A node has n sons, or n entries in a leaf, which has no sons. */
typedef Node {
  Node &son[K];
  byte n;
  mutex m;
#if VARIANT == 2
  byte readers;
#elif VARIANT == 3
  mutex exclusive;
#endif
}
heap Node[NODES];
Node &root;

#define leaf(x) (x.son[0] == null)

#if VARIANT == 2
#define claim(x) atomic { x.m == 0 && x.readers == 0; lock(x.m) }
#else
#define claim(x) lock(x.m)
#endif

#if VARIANT == 3
#define release(x) unlock(x.exclusive); unlock(x.m)
#else
#define release(x) unlock(x.m)
#endif

/* The nodes path[top] to path[d] are locked. This gives back all but the last one. */
inline leave() {
  do
  :: top < d -> unlock(path[top].m); path[top] = null; top++
  :: else -> break
  od
}

/* Solutions 1 and 3: the way to the leaf that gets the next entry. */
inline descend() {
  path[0] = root;
  claim(path[0]);
  do
  :: leaf(path[d]) -> break
  :: else ->
     path[d + 1] = path[d].son[path[d].n - 1];
     claim(path[d + 1]);
     d++;
     if
     :: path[d].n < K -> leave()
     :: else
     fi
  od
}

#if VARIANT == 2
/* Solution 2: with the locks of readers. It ends with a leaf locked that is not full, or without locks. */
inline hurry() {
  path[0] = root;
  atomic { path[0].m == 0; path[0].readers++ };
  do
  :: leaf(path[d]) -> path[d].readers--; path[d] = null; break /* the root: it is locked for readers only */
  :: else ->
     path[d + 1] = path[d].son[path[d].n - 1];
     if
     :: leaf(path[d + 1]) ->
        claim(path[d + 1]);
        path[d].readers--;
        path[d] = null;
        d++;
        top = d;
        if
        :: path[d].n < K
        :: else -> unlock(path[d].m); path[d] = null
        fi;
        break
     :: else ->
        atomic { path[d + 1].m == 0; path[d + 1].readers++ };
        path[d].readers--;
        path[d] = null;
        d++
     fi
  od;
  if
  :: path[d] == null -> d = 0; top = 0
  :: else
  fi
}
#endif

/* Moves half of the sons of a full node, from the one with a number on, to a new one. */
inline move(from, to, first, size) {
  j = 0;
  do
  :: j < size ->
     to.son[j] = from.son[first + j];
     from.son[first + j] = null;
     j++
  :: else -> break
  od;
  to.n = size;
  j = 0
}

/* Inserts an entry in path[d], and what splits make in the nodes above. */
inline insert() {
  do
  :: path[d].n < K ->
     path[d].son[path[d].n] = made;
     path[d].n++;
     made = null;
     break
  :: path[d].n == K && d > 0 ->
     right = new Node;
     move(path[d], right, HALF, K - HALF);
     right.son[K - HALF] = made;
     right.n++;
     path[d].n = HALF;
     release(path[d]);
     path[d] = null;
     d--;
     made = right;
     right = null
  :: path[d].n == K && d == 0 ->
     left = new Node;
     right = new Node;
     move(path[0], left, 0, HALF);
     move(path[0], right, HALF, K - HALF);
     right.son[K - HALF] = made;
     right.n++;
     path[0].son[0] = left;
     path[0].son[1] = right;
     path[0].n = 2;
     d_step { made = null; left = null; right = null };
     break
  od
}

active [N] proctype updater() {
  Node &path[D]; /* the nodes on the way down */
  Node &made; Node &left; Node &right;
  byte d, top, j;

  atomic {
    if
    :: root == null -> root = new Node
    :: else
    fi
  };
  do
  :: true ->
#if VARIANT == 2
     hurry();
     if
     :: path[d] == null -> descend()
     :: else
     fi;
#else
     descend();
#endif
     if
     :: path[top].n == K && d == D - 1 -> break
     :: else
     fi;
#if VARIANT == 3
     j = top;
     do
     :: j <= d -> lock(path[j].exclusive); j++
     :: else -> break
     od;
     j = 0;
#endif
     insert();
     do
     :: top <= d -> release(path[top]); path[top] = null; top++
     :: else -> break
     od;
     d_step { d = 0; top = 0 }
  od;
  leave();
  unlock(path[d].m);
  d_step { path[d] = null; d = 0; top = 0 };
end:
  false
}
