// Package cadical is a back end that wraps the CDCL solver CaDiCaL (Biere, Faller, Fazekas,
// Fleury, Froleyks, Pollitt: CaDiCaL 2.0, CAV 2024), which is written in C++. It is built with
// the tag cadical only, by cgo against the library as Debian packages it (libcadical-dev).
//
//	go build -tags cadical ./cmd/orbitmc
//
// A group is a literal that is assumed until the group is released, and a clause that it is
// false from then on. The library recycles nothing, so releases cost a variable each.
package cadical
