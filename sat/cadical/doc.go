// Package cadical is a back end that wraps the CDCL solver CaDiCaL (Biere, Faller, Fazekas,
// Fleury, Froleyks, Pollitt: CaDiCaL 2.0, CAV 2024), which is written in C++. It is built with
// the tag cadical only, by cgo against the library as Debian packages it (libcadical-dev).
//
//	go build -tags cadical ./cmd/orbitmc
package cadical
