//go:build unix

package bmc_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"orbitmc/bmc"
	"orbitmc/encode"
	"orbitmc/encode/murphi"
	"orbitmc/internal/certify"
	"orbitmc/mc"
)

// cpu returns the user and system time this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // no such call
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// maxCPU is the CPU time after which a run is given up.
const maxCPU = 120 * time.Second

// withMaxCPU returns a context that ends when this process has used maxCPU from
// now on. CPU time does not depend on what else the machine does.
func withMaxCPU() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	end := cpu() + maxCPU
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if cpu() > end {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// BenchmarkRep runs bounded model checking to the first violation, all
// properties at once, in every mode of representatives. It does not count the
// time to read and encode the model and to verify its symmetry; it does count
// the replay of the trace. Metrics: depth of the violation, clauses given to the
// solver, CPU seconds of a run. Where timeout is 1 the run was given up after
// maxCPU: cpu-s/op is a lower bound, and depth is that reached.
func BenchmarkRep(b *testing.B) {
	for _, m := range []struct {
		file, size string
		n, depth   int
		prop       string
		mayTimeOut bool // without representatives
	}{
		{"german_bug2", "NODE_NUM", 8, 15, "CtrlProp", false},
		{"german_bug2", "NODE_NUM", 10, 15, "CtrlProp", false},
		{"sem_counter_bug", "N", 8, 12, "AtMostK", true},
	} {
		path := "../benchmarks/murphi/" + m.file + ".m"
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		p := parse(b, string(src), murphi.Options{Consts: map[string]string{m.size: fmt.Sprint(m.n)}})
		if err := encode.ProveWellFormed(context.Background(), p.Enc.Sys, newSolver); err != nil {
			b.Fatal(err)
		}
		p.WellFormed = true
		withSymmetry(b, p)
		prop := propNamed(b, p.Model, m.prop)
		for _, mode := range []bmc.RepMode{bmc.RepPath, bmc.RepFrontier, bmc.RepOff} {
			b.Run(fmt.Sprintf("%s/%s=%d/%v", m.file, m.size, m.n, mode), func(b *testing.B) {
				var spent time.Duration
				var r *mc.Result
				timeouts := 0
				for b.Loop() {
					runtime.GC() // what an earlier run left is not ours to sweep
					began := cpu()
					ctx, cancel := withMaxCPU()
					r, err = (&bmc.Checker{Rep: mode, NewSolver: newSolver}).Run(ctx, p, mc.Options{})
					if err == nil {
						err = certify.Verify(ctx, p, r)
					}
					stopped := ctx.Err() != nil
					cancel()
					spent += cpu() - began
					if err != nil {
						b.Fatal(err)
					}
					if stopped && m.mayTimeOut && mode == bmc.RepOff {
						timeouts++
						if r.Violated() || r.Stats.Depth >= m.depth {
							b.Fatalf("given up, and %+v", r)
						}
						continue
					}
					if pr := r.Props[prop]; stopped || pr.Status != mc.Unsafe || pr.Depth != m.depth || r.Stats.Depth != m.depth {
						b.Fatalf("%+v, want a violation of %s at depth %d", r, m.prop, m.depth)
					}
				}
				b.ReportMetric(float64(r.Stats.Depth), "depth")
				b.ReportMetric(float64(r.Stats.Clauses), "clauses")
				b.ReportMetric(spent.Seconds()/float64(b.N), "cpu-s/op")
				b.ReportMetric(float64(timeouts)/float64(b.N), "timeout")
				b.ReportMetric(0, "ns/op") // wall time on a shared machine
			})
		}
	}
}
