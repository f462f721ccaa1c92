package ts

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
)

// Trace is a finite run: the initial inputs and the inputs of every frame. The
// states follow from them. A run of k steps has k+1 frames; the inputs of the
// last frame matter only to constraints and bads that read them.
type Trace struct {
	Init   []bool
	Inputs [][]bool
}

// Image returns what p makes of a run. If p keeps the system, that is the run through
// the images of its states.
func (t *Trace) Image(p *Perm) *Trace {
	return &Trace{Apply(p.Init, t.Init), lists.Map(t.Inputs, func(in []bool) []bool { return Apply(p.Input, in) })}
}

// Frame is what replay finds in one frame of a trace.
type Frame struct {
	State       []bool
	Constraints bool   // all hold
	Bads        []bool // by index in System.Bads
}

// Evaluator computes resets, successors and predicates by simulation. It is
// not safe for concurrent use.
type Evaluator struct {
	sys *System
	sim *aig.Sim
}

// NewEvaluator returns an evaluator for s.
func NewEvaluator(s *System) *Evaluator {
	return &Evaluator{sys: s, sim: aig.NewSim(s.G)}
}

// Reset returns the initial state for the initial inputs.
func (e *Evaluator) Reset(init []bool) []bool {
	for i, sig := range e.sys.Init {
		e.sim.Set(sig.Node, word(init[i]))
	}
	e.sim.Run()
	state := make([]bool, len(e.sys.Latches))
	for i, l := range e.sys.Latches {
		state[i] = e.Value(l.Reset)
	}
	return state
}

// Set evaluates every function at a state and inputs; Value reads the results.
func (e *Evaluator) Set(state, inputs []bool) {
	for i, l := range e.sys.Latches {
		e.sim.Set(l.Node, word(state[i]))
	}
	for i, in := range e.sys.Inputs {
		e.sim.Set(in.Node, word(inputs[i]))
	}
	e.sim.Run()
}

// Value returns the value of l after the last Set.
func (e *Evaluator) Value(l aig.Lit) bool { return e.sim.Word(l)&1 == 1 }

// Next returns the successor after the last Set.
func (e *Evaluator) Next() []bool {
	next := make([]bool, len(e.sys.Latches))
	for i, l := range e.sys.Latches {
		next[i] = e.Value(l.Next)
	}
	return next
}

// Constraints reports whether all constraints hold after the last Set.
func (e *Evaluator) Constraints() bool {
	return !slices.ContainsFunc(e.sys.Constraints, func(c aig.Lit) bool { return !e.Value(c) })
}

func word(b bool) uint64 {
	if b {
		return ^uint64(0)
	}
	return 0
}

// Run simulates the trace.
func (s *System) Run(t *Trace) ([]Frame, error) {
	if len(t.Init) != len(s.Init) || len(t.Inputs) == 0 {
		return nil, fmt.Errorf("trace has %d initial inputs and %d frames; the system has %d initial inputs", len(t.Init), len(t.Inputs), len(s.Init))
	}
	e := NewEvaluator(s)
	state := e.Reset(t.Init)
	frames := make([]Frame, len(t.Inputs))
	for k, in := range t.Inputs {
		if len(in) != len(s.Inputs) {
			return nil, fmt.Errorf("frame %d of the trace has %d inputs, want %d", k, len(in), len(s.Inputs))
		}
		e.Set(state, in)
		f := Frame{State: state, Constraints: e.Constraints(), Bads: make([]bool, len(s.Bads))}
		for i, b := range s.Bads {
			f.Bads[i] = e.Value(b.Lit)
		}
		frames[k] = f
		state = e.Next()
	}
	return frames, nil
}

// Replay checks that the trace violates bad number bad in its last frame, the
// constraints holding in all frames.
func (s *System) Replay(t *Trace, bad int) error {
	frames, err := s.Run(t)
	if err != nil {
		return err
	}
	for k, f := range frames {
		if !f.Constraints {
			return fmt.Errorf("a constraint fails in frame %d", k)
		}
	}
	if !frames[len(frames)-1].Bads[bad] {
		return fmt.Errorf("bad %q does not hold in frame %d", s.Bads[bad].Name, len(frames)-1)
	}
	return nil
}
