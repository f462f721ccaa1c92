//go:build unix

package benchmarks_test

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"orbitmc/aig"
	"orbitmc/benchmarks"
	"orbitmc/detect"
	"orbitmc/detect/declared"
	"orbitmc/detect/verify"
	"orbitmc/encode"
	"orbitmc/encode/cnf"
	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// cpu returns the user and system time this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // no such call
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure runs f as the body of the benchmark and returns the CPU seconds of
// all runs together; it reports those of one run instead of the wall time.
func measure(b *testing.B, f func()) (seconds float64) {
	runtime.GC() // what was left before is not ours to sweep
	began := cpu()
	for b.Loop() {
		f()
	}
	seconds = (cpu() - began).Seconds()
	b.ReportMetric(seconds/float64(b.N), "cpu-s/op")
	b.ReportMetric(0, "ns/op") // wall time on a shared machine
	return seconds
}

func read(b *testing.B, name string, consts map[string]string) *model.Model {
	b.Helper()
	m, err := murphi.ReadFile("murphi/"+name+".m", murphi.Options{Consts: consts})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkExplicit visits all states of German's protocol, with the verified
// symmetry and without. Metrics: states stored and rule instances fired per CPU
// second.
func BenchmarkExplicit(b *testing.B) {
	es, err := benchmarks.ReadExpectations("murphi/german.m")
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range es {
		if e.Size == "NODE_NUM=2" {
			continue // too small to measure
		}
		p, _, err := assemble(read(b, "german", e.Consts), nil)
		if err != nil {
			b.Fatal(err)
		}
		for canon := explicit.None; canon <= explicit.Exact; canon += explicit.Exact {
			want := e.States
			if canon == explicit.Exact {
				want = e.Canon
			}
			b.Run(fmt.Sprintf("%s/%v", e.Size, canon), func(b *testing.B) {
				var r *mc.Result
				seconds := measure(b, func() {
					r, err = (&explicit.Engine{Canon: canon}).Run(context.Background(), p, mc.Options{})
					if err != nil || r.Verdict() != mc.Safe || r.Stats.States != want {
						b.Fatalf("%+v, %v, want safe with %d states", r, err, want)
					}
				})
				n := float64(b.N)
				b.ReportMetric(float64(r.Stats.States), "states")
				b.ReportMetric(float64(r.Stats.States)*n/seconds, "states/cpu-s")
				b.ReportMetric(float64(r.Stats.Transitions)*n/seconds, "fired/cpu-s")
			})
		}
	}
}

// large lists models for the benchmarks of what comes before the search.
var large = []struct {
	name, size, value string
	order             string // of the group that all properties keep
}{
	{"german_bug2", "NODE_NUM", "8", "80640"},           // 8! · 2!
	{"german_bug2", "NODE_NUM", "16", "41845579776000"}, // 16! · 2!
	{"sem_counter_bug", "N", "8", "40320"},              // 8!
}

// BenchmarkEncode makes transition systems of models. Metrics: size of the system.
func BenchmarkEncode(b *testing.B) {
	for _, l := range large {
		m := read(b, l.name, map[string]string{l.size: l.value})
		b.Run(fmt.Sprintf("%s/%s=%s", l.name, l.size, l.value), func(b *testing.B) {
			var enc *encode.Encoding
			measure(b, func() {
				var err error
				if enc, err = encode.Model(context.Background(), m); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(len(enc.Sys.Latches)), "latches")
			b.ReportMetric(float64(enc.Sys.NumAnds()), "ands")
		})
	}
}

// BenchmarkWellFormed proves that every reachable state is well-formed.
func BenchmarkWellFormed(b *testing.B) {
	for _, l := range large {
		enc, err := encode.Model(context.Background(), read(b, l.name, map[string]string{l.size: l.value}))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s/%s=%s", l.name, l.size, l.value), func(b *testing.B) {
			measure(b, func() {
				if err := encode.ProveWellFormed(context.Background(), enc.Sys, newSolver); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkDetect verifies the declared symmetry of models. Metrics: permutations
// checked, functions compared, and how many of them by SAT.
func BenchmarkDetect(b *testing.B) {
	for _, l := range large {
		m := read(b, l.name, map[string]string{l.size: l.value})
		enc, err := encode.Model(context.Background(), m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s/%s=%s", l.name, l.size, l.value), func(b *testing.B) {
			var r *detect.Report
			measure(b, func() {
				r, err = declared.Check(context.Background(), m, enc, enc.Sys, enc.PropBads, declared.Options{
					Verify: verify.Options{NewProver: func(g *aig.Graph) verify.Prover { return cnf.NewProver(g, newSolver()) }},
				})
				if err != nil {
					b.Fatal(err)
				}
			})
			for _, y := range append([]*ts.Symmetry{r.System, r.Common}, r.ByProp...) {
				if got := y.Order().String(); got != l.order {
					b.Fatalf("a group of order %s, want %s", got, l.order)
				}
			}
			b.ReportMetric(float64(r.Tried), "checks")
			b.ReportMetric(float64(r.Functions), "functions")
			b.ReportMetric(float64(r.Queries), "queries")
		})
	}
}
