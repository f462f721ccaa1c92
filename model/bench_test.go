package model_test

import (
	"testing"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// BenchmarkSuccessors expands states of German's protocol with 4 clients. It
// reports instances tried and fired per second of one core.
func BenchmarkSuccessors(b *testing.B) {
	m, err := murphi.ReadFile("../benchmarks/murphi/german.m", murphi.Options{Consts: map[string]string{"NODE_NUM": "4"}})
	if err != nil {
		b.Fatal(err)
	}
	p := model.Compile(m)
	mach := p.NewMachine()
	packer := model.NewPacker(m)
	seen := map[string]bool{}
	var states []model.State
	add := func(_ model.Choice, s model.State, _ *model.Violation) bool {
		if key := string(packer.Pack(nil, s)); !seen[key] {
			seen[key] = true
			states = append(states, append(model.State{}, s...))
		}
		return true
	}
	mach.Starts(add)
	for i := 0; len(states) < 5000; i++ {
		mach.Successors(states[i], add)
	}
	instances := int(p.NumInstances().Int64())
	tried, fired := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		mach.Successors(states[tried/instances%5000], func(model.Choice, model.State, *model.Violation) bool {
			fired++
			return true
		})
		tried += instances
	}
	b.ReportMetric(float64(tried)/b.Elapsed().Seconds(), "instances/s")
	b.ReportMetric(float64(fired)/b.Elapsed().Seconds(), "fired/s")
}
