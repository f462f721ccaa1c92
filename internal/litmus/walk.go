package litmus

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"orbitmc/encode/murphi"
	"orbitmc/model"
)

// This file looks for outcomes by random walks. The states of a product are those of all its addresses together, which are too many
// for search where those of each are few; but most runs end soon.

const (
	walks     = 1000 // at most, without a new outcome
	walkSteps = 400
	someStart = 1 << 10 // start states to choose from
)

// Walk walks on the model of a product, at random, and calls yield with each allowed outcome when it is first met: its number in
// Allowed, and the run, which nobody has checked. It ends when all were met, after a number of walks that met none, or with ctx.
func (p *Product) Walk(ctx context.Context, m *model.Model, seed uint64, yield func(outcome int, t *model.Trace)) {
	mach, rng := model.Compile(m).NewMachine(), rand.New(rand.NewPCG(seed, 0))
	ended := p.ended(m)
	met := make([]bool, len(p.Allowed))
	var starts []model.TraceStep // some of them, each as likely as the others
	n := 0
	mach.Starts(func(ch model.Choice, s model.State, v *model.Violation) bool {
		if v != nil || s == nil {
			return ctx.Err() == nil
		}
		n++
		if at := rng.IntN(n); len(starts) < someStart {
			starts = append(starts, model.TraceStep{Choice: ch.Clone(), State: slices.Clone(s)})
		} else if at < someStart {
			starts[at] = model.TraceStep{Choice: ch.Clone(), State: slices.Clone(s)}
		}
		return ctx.Err() == nil
	})
	for vain := 0; vain < walks && len(starts) > 0 && ctx.Err() == nil && slices.Contains(met, false); vain++ {
		start := starts[rng.IntN(len(starts))]
		t := &model.Trace{Start: start.Choice, StartState: start.State}
		for at := t.StartState; at != nil && len(t.Steps) < walkSteps; at = t.End() {
			if ended(at) {
				o := p.Outcome(m, at)
				if i := slices.IndexFunc(p.Allowed, func(a Outcome) bool { return slices.Equal(a, o) }); i >= 0 && !met[i] {
					met[i], vain = true, 0
					yield(i, t)
				}
				break
			}
			var step model.TraceStep
			n := 0
			mach.Successors(at, func(ch model.Choice, next model.State, v *model.Violation) bool {
				if v == nil && len(mach.Changed()) > 0 {
					if n++; rng.IntN(n) == 0 {
						step = model.TraceStep{Choice: ch.Clone(), State: append(step.State[:0], next...)}
					}
				}
				return true
			})
			if n == 0 {
				break
			}
			t.Steps = append(t.Steps, step)
		}
	}
}

// ended returns whether all cores have performed their programs in a state.
func (p *Product) ended(m *model.Model) func(s model.State) bool {
	end := map[int]int64{} // by leaf
	for i, l := range m.AllLeaves() {
		for n, ops := range p.Test.Threads {
			if l.Name == fmt.Sprint(murphi.Mark, "pc", n) {
				end[i] = int64(p.at(n, len(ops)))
			}
		}
	}
	return func(s model.State) bool {
		for i, v := range end {
			if s[i] != v {
				return false
			}
		}
		return true
	}
}
