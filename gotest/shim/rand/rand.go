// Package rand takes the place of math/rand and math/rand/v2 in programs under test, with what is common to
// both: what is drawn without a source of one's own is the same in each execution.
package rand

//lint:file-ignore U1000 the rest of the package, which is made from that of Go, uses it

import "orbitmc/gotest/shim/sched"

type source struct{}

func (source) Uint64() uint64  { return sched.Draw() }
func (source) Int63() int64    { return int64(sched.Draw() >> 1) }
func (source) Seed(seed int64) {}
