// Package measure has what is only measured of symmetry, for papers and for people: how many representatives a
// set of permutations leaves (count.go), how large the orbit relation is as a circuit and as a decision diagram
// (relation.go, bdd.go), and pictures of groups (dot.go). No engine uses it.
package measure
