package explicit_test

import (
	"context"
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/explicit"
	"orbitmc/model"
)

// BenchmarkSearch explores German's protocol with 3 clients.
func BenchmarkSearch(b *testing.B) {
	m, err := murphi.ReadFile("../benchmarks/murphi/german.m", murphi.Options{Consts: map[string]string{"NODE_NUM": "3"}})
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
