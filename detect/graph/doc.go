// Package graph finds the symmetries of large sparse coloured graphs.
//
// A [Graph] is undirected; its vertices 0..n-1 carry colours. An automorphism
// is a permutation of the vertices that keeps colours and adjacency. [Search]
// returns generators of the group of all automorphisms, each as the list of
// the vertices it moves, the exact order of the group, and its orbits.
//
// # How the search works
//
// An ordered partition of the vertices is refined until it is equitable: any two
// vertices of a cell have equally many neighbours in every cell. A first path then
// fixes vertices v0, v1, … one after the other, refining after each, until no choice is
// left. This path is the left side of a pair of ordered partitions.
//
// From the last level upwards, the search looks at each level i for automorphisms
// that fix v0 … v(i-1) and move vi to w. It tries each w of the cell of vi that the
// automorphisms found so far do not put in the orbit of vi. It individualises w on the
// right side, replays there the refinement that the left side recorded, and goes down
// the first path as far as needed. The order of the group is the product of the orbit
// sizes of the vi, each taken when its level is done.
//
// # Files
//
//	graph.go       coloured graphs in compressed sparse rows, and their builder
//	dimacs.go      text form: reader and writer
//	perm.go        sparse permutations
//	partition.go   the ordered partition: cells, splits, undo
//	refine.go      refinement with splitter queues (left side), and its trace
//	replay.go      the same on the right side, held against the trace
//	components.go  target cells, components of cells, symmetric cells
//	matching.go    early automorphisms: counters of unmatched vertices, completion, check
//	failure.go     what failed at a level of the first path, counted
//	follow.go      completion along edges: images guessed without going down
//	orbits.go      disjoint sets of vertices
//	search.go      the first path, the levels upwards, backjumping
//	result.go      statistics, result, order of the group
//
// # Letters
//
// u, v, w, x, y, z are vertices; c, d, t are cells, named by the position where they
// start; p, q are positions; i, j are levels of the first path. State j is the pair
// of partitions before the choice of level j; state 0 is the root.
//
// # What is not here
//
// The graph is not contracted beforehand. Vertices of degree one and vertices with the
// same neighbours end in symmetric cells, whose permutations are taken at once without
// levels. Edges at fixed vertices are not looked at again. An inverter on a wire is one
// splitter of two edges. The right side is not pruned by known automorphisms, since
// counting failures already saves nearly all of that work (docs/decisions.md).
//
// # Limits
//
// Hard combinatorial graphs (Miyazaki's, large projective planes) take exponential or
// long polynomial time, as they do in similar tools. A context ends the search, which
// then returns the automorphisms found so far.
package graph
