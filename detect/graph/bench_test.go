package graph

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"
)

// large lists sparse graphs of 10^5 to 10^6 vertices as netlists have them, and others.
func large() []sample {
	rng := rand.New(rand.NewPCG(11, 12))
	return []sample{
		{"queues 5 x 128 x 128", queues(5, 128, 128)},
		{"queues 2 x 2000 x 30", queues(2, 2000, 30)},
		{"register file 300 x 300", registerFile(300, 300)},
		{"register file 100 x 2000", registerFile(100, 2000)},
		{"circuit", circuit(rng, 200, 20, 50)},
		{"deep circuit", circuit(rng, 20, 1, 10000)},
		{"grid", grid([]int{700, 700}, false)},
		{"torus", grid([]int{60, 60, 60}, true)},
		{"grids", copies(grid([]int{10, 10}, false), 2000)},
		{"binary tree", fullTree(2, 16)},
		{"random tree", randomTree(rng, 500000, 500000)},
		{"cycles", copies(cycle(50), 5000)},
		{"star", star(200000)},
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, s := range large() {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustSearch(b, s.g)
			}
			b.ReportMetric(float64(s.g.N()), "vertices")
		})
	}
}

// BenchmarkBliss runs bliss on the same graphs, for at most 20 s each; reading the graph
// and writing generators is part of its time.
func BenchmarkBliss(b *testing.B) {
	path, err := exec.LookPath("bliss")
	if err != nil {
		b.Skip("bliss is not installed")
	}
	for _, s := range large() {
		b.Run(s.name, func(b *testing.B) {
			text := []byte(dimacs(s.g))
			cpu, finished := time.Duration(0), 1.0
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				cmd := exec.CommandContext(ctx, path)
				cmd.Stdin = bytes.NewReader(text)
				if cmd.Run() != nil {
					finished = 0
				}
				cancel()
				cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(finished, "finished")
		})
	}
}
