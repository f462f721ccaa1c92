//go:build unix

package explicit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"orbitmc/encode/murphi"
	"orbitmc/internal/explicit"
	"orbitmc/model"
)

// BenchmarkSearch explores German's protocol with 3 clients.
func BenchmarkSearch(b *testing.B) {
	m, err := murphi.ReadFile("../../benchmarks/murphi/german.m", murphi.Options{Consts: map[string]string{"NODE_NUM": "3"}})
	if err != nil {
		b.Fatal(err)
	}
	p := model.Compile(m)
	for c := explicit.None; c <= explicit.Exact; c++ {
		b.Run(c.String(), func(b *testing.B) {
			var states, fired int64
			for b.Loop() {
				res, err := explicit.Run(context.Background(), p, explicit.Options{Canon: c, Blocks: all(m)})
				if err != nil || !res.Complete {
					b.Fatalf("%+v, %v", res, err)
				}
				states += res.States
				fired += res.Fired
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(fired)/b.Elapsed().Seconds(), "fired/s")
		})
	}
}

// BenchmarkLarge explores the Murphi models in the folder that ORBITMC_MODELS
// names, without symmetry, for at most ten seconds each. It is meant for those
// with thousands of leaves. The measure is rule instances fired per second of
// user CPU time, garbage collection included; 100000 is the aim.
func BenchmarkLarge(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("ORBITMC_MODELS"), "*.m"))
	if err != nil {
		b.Fatal(err)
	}
	if len(files) == 0 {
		b.Skip("ORBITMC_MODELS names no folder with models")
	}
	for _, file := range files {
		m, err := murphi.ReadFile(file, murphi.Options{})
		if err != nil {
			b.Fatal(err)
		}
		p := model.Compile(m)
		b.Run(strings.TrimSuffix(filepath.Base(file), ".m"), func(b *testing.B) {
			var fired, states int64
			began := userTime(b)
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				res, err := explicit.Run(ctx, p, explicit.Options{All: true, MemLimit: 4 << 30})
				cancel()
				if err != nil {
					b.Fatal(err)
				}
				fired += res.Fired
				states += res.States
			}
			cpu := (userTime(b) - began).Seconds()
			b.ReportMetric(float64(fired)/cpu, "fired/cpu-s")
			b.ReportMetric(float64(states)/cpu, "states/cpu-s")
			b.ReportMetric(float64(m.Leaves()), "leaves")
		})
	}
}

// userTime returns the user CPU time of the process so far.
func userTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano())
}
