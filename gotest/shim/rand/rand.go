// Package rand takes the place of math/rand and math/rand/v2 in programs under test, with what is common to
// both: what is drawn without a source of one's own is the same in each execution, but for numbers below a
// small bound.
package rand

//lint:file-ignore U1000 the rest of the package, which is made from that of Go, uses it

import "orbitmc/gotest/shim/sched"

type source struct{}

func (source) Uint64() uint64  { return sched.Random() }
func (source) Int63() int64    { return int64(sched.Random() >> 1) }
func (source) Seed(seed int64) {}

func below(n int64, what string) int64 {
	if n <= 0 {
		panic("invalid argument to " + what)
	}
	if k, ok := sched.Pick(int(min(n, 1<<30))); ok {
		return int64(k)
	}
	return int64(sched.Random() % uint64(n))
}

func Intn(n int) int       { return int(below(int64(n), "Intn")) }
func Int31n(n int32) int32 { return int32(below(int64(n), "Int31n")) }
func Int63n(n int64) int64 { return below(n, "Int63n") }
func IntN(n int) int       { return int(below(int64(n), "IntN")) }
func Int32N(n int32) int32 { return int32(below(int64(n), "Int32N")) }
func Int64N(n int64) int64 { return below(n, "Int64N") }
