package pdr_test

import (
	"context"
	"testing"

	"orbitmc/internal/certify"
	"orbitmc/internal/pdr"
	"orbitmc/mc"
	"orbitmc/model"
	"orbitmc/ts"
)

// TestModels decides small models with checked evidence.
func TestModels(t *testing.T) {
	type consts = map[string]string
	for _, c := range []struct {
		file   string
		consts consts
		depth  int // of a shortest violation, -1 if the model is safe
	}{
		{"german.m", consts{"NODE_NUM": "3"}, -1},
		{"german_bug1.m", consts{"NODE_NUM": "3"}, 8},
		{"german_bug2.m", consts{"NODE_NUM": "2"}, 15},
		{"mesi_snoop.m", consts{"NODE_NUM": "5"}, -1},
		{"moesi.m", consts{"NODE_NUM": "4"}, -1},
		{"moesi_bug.m", consts{"NODE_NUM": "4"}, 5},
		{"mutex_sem.m", consts{"N": "6"}, -1},
		{"mutex_sem_bug.m", consts{"N": "3"}, 6},
		{"sem_counter.m", consts{"N": "8"}, -1},
		{"sem_counter_bug.m", consts{"N": "8"}, 12},
		{"peterson.m", consts{"N": "3"}, -1},
		{"peterson_bug.m", consts{"N": "3"}, 14},
		{"false_scalarset.m", consts{"N": "3"}, 5},
	} {
		p := load(t, c.file, c.consts)
		r, err := (&pdr.Engine{NewSolver: newSolver}).Run(context.Background(), p, mc.Options{All: true})
		if err == nil {
			err = certify.Verify(context.Background(), p, r)
		}
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		depth, bound := -1, -1
		for _, pr := range r.Props {
			switch {
			case pr.Status == mc.Unknown && p.Kind(pr.Prop) != model.Liveness:
				t.Errorf("%s: %q is undecided: %s", c.file, p.Name(pr.Prop), r.Stopped)
			case pr.Status == mc.Unsafe && (depth < 0 || pr.Depth < depth):
				depth, bound = pr.Depth, pr.Bound
			}
		}
		if (depth < 0) != (c.depth < 0) || depth < c.depth || bound >= c.depth && c.depth >= 0 {
			t.Errorf("%s: depth %d, bound %d, want %d", c.file, depth, bound, c.depth)
		}
	}
}

// TestOrbitsInPart: where a part of each orbit is written out and states are not
// matched with lemmas, a proof may need images of lemmas that were replaced.
func TestOrbitsInPart(t *testing.T) {
	for _, c := range []struct {
		n     string
		eager int
	}{{"4", 3}, {"5", 2}, {"6", 5}, {"6", 12}} {
		p := load(t, "sem_counter.m", map[string]string{"N": c.n})
		for i, y := range p.Groups {
			p.Groups[i] = &ts.Symmetry{Groups: []ts.Group{{Name: "any", Class: -1, Kind: "other", Order: y.Order(), Gens: y.Generators()}}}
		}
		r, err := pdr.Engine{NewSolver: newSolver}.Eager(c.eager).Run(context.Background(), p, mc.Options{All: true})
		if err == nil {
			err = certify.Verify(context.Background(), p, r)
		}
		if err != nil || r.Verdict() != mc.Safe {
			t.Errorf("N=%s, %d images: %v, %v", c.n, c.eager, r, err)
		}
	}
}
