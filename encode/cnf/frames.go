package cnf

import (
	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file unrolls a transition system into time frames.
//
// All frames live in one graph, so that structural hashing and constant
// propagation work across them: where a reset fixes a latch, the logic that
// depends on it folds, frame after frame (Kuehlmann, Ganai, Paruthi: Circuit-
// based Boolean reasoning, DAC 2001). Next functions are copied once, when the
// frame they lead to is added. Predicates are copied when they are first used. A function that no query needs stays out of the solver: the encoder visits the
// cones it is given.

// Frames is an incremental unrolling of a system. Frames count from 0. It is
// not safe for concurrent use.
type Frames struct {
	sys    *ts.System
	free   bool
	g      *aig.Graph
	init   []aig.Lit // by initial input; nil when the first state is free
	frames []frame

	copier *aig.Copier
	bound  int // frame whose leaves the copier knows; -1 for none
}

// frame holds literals of the unrolled graph.
type frame struct {
	latches    []aig.Lit // by latch
	inputs     []aig.Lit // by input
	bads       []aig.Lit // by bad, pending until asked for
	constraint aig.Lit   // pending until asked for
	w          aig.Lit   // pending until asked for
}

// pending marks a literal that was not built yet.
const pending = ^aig.Lit(0)

// NewFrames returns an unrolling of sys with no frames yet. The state of frame
// 0 is the reset state over fresh initial inputs, or, when free, fresh leaves:
// any state at all, well-formed or not.
func NewFrames(sys *ts.System, free bool) *Frames {
	f := &Frames{sys: sys, free: free, g: aig.New(), bound: -1}
	f.copier = aig.NewCopier(f.g, sys.G)
	return f
}

// Graph returns the graph of the unrolling. Callers may add to it.
func (f *Frames) Graph() *aig.Graph { return f.g }

// Len returns the number of frames.
func (f *Frames) Len() int { return len(f.frames) }

// Extend adds the next frame.
func (f *Frames) Extend() {
	k := len(f.frames)
	fr := frame{
		latches:    make([]aig.Lit, len(f.sys.Latches)),
		bads:       make([]aig.Lit, len(f.sys.Bads)),
		constraint: pending,
		w:          pending,
	}
	switch {
	case k > 0:
		f.bind(k - 1)
		for i, l := range f.sys.Latches {
			fr.latches[i] = f.copier.Copy(l.Next)
		}
	case f.free:
		fr.latches = f.leaves(len(f.sys.Latches))
	default:
		f.init = f.leaves(len(f.sys.Init))
		for i, sig := range f.sys.Init {
			f.copier.Set(sig.Node, f.init[i])
		}
		for i, l := range f.sys.Latches {
			fr.latches[i] = f.copier.Copy(l.Reset)
		}
	}
	fr.inputs = f.leaves(len(f.sys.Inputs))
	for i := range fr.bads {
		fr.bads[i] = pending
	}
	f.frames = append(f.frames, fr)
}

func (f *Frames) leaves(n int) []aig.Lit {
	return lists.Make(n, func(i int) aig.Lit { return f.g.Input() })
}

// bind makes the copier copy into frame k. Going back to an older frame costs
// time only: the graph finds the nodes it has.
func (f *Frames) bind(k int) {
	if f.bound == k {
		return
	}
	f.copier.Reset()
	for i, l := range f.sys.Latches {
		f.copier.Set(l.Node, f.frames[k].latches[i])
	}
	for i, in := range f.sys.Inputs {
		f.copier.Set(in.Node, f.frames[k].inputs[i])
	}
	f.bound = k
}

// Latches returns the state of frame k, indexed like System.Latches. The slice
// must not be changed.
func (f *Frames) Latches(k int) []aig.Lit { return f.frames[k].latches }

// Inputs returns the inputs of frame k, indexed like System.Inputs. The slice
// must not be changed.
func (f *Frames) Inputs(k int) []aig.Lit { return f.frames[k].inputs }

// Init returns the initial inputs, indexed like System.Init; nil before the
// first frame exists and when the first state is free. The slice must not be
// changed.
func (f *Frames) Init() []aig.Lit { return f.init }

// Copy returns function root of the system's graph, over latches and inputs, in
// frame k.
func (f *Frames) Copy(k int, root aig.Lit) aig.Lit {
	f.bind(k)
	return f.copier.Copy(root)
}

// Bad returns bad number i in frame k.
func (f *Frames) Bad(k, i int) aig.Lit {
	bad := &f.frames[k].bads[i]
	if *bad == pending {
		*bad = f.Copy(k, f.sys.Bads[i].Lit)
	}
	return *bad
}

// AnyBad returns the condition that one of some bads holds in frame k.
func (f *Frames) AnyBad(k int, bads []int) aig.Lit {
	return f.g.OrN(lists.Map(bads, func(b int) aig.Lit { return f.Bad(k, b) }))
}

// Constraint returns the conjunction of all constraints in frame k.
func (f *Frames) Constraint(k int) aig.Lit {
	c := &f.frames[k].constraint
	if *c == pending {
		*c = f.g.AndN(lists.Map(f.sys.Constraints, func(l aig.Lit) aig.Lit { return f.Copy(k, l) }))
	}
	return *c
}

// Violation returns the condition that one of the bads is violated at depth d,
// for which there are at least d+1 frames: by an error in the step from frame
// d-1, or in frame d, where the constraints of that frame hold. The constraints
// of earlier frames are for the caller to assume.
func (f *Frames) Violation(bads []int, d int) aig.Lit { return violation(f.sys, f, bads, d) }

// framed has predicates of the frames of a system.
type framed interface {
	Graph() *aig.Graph
	Bad(k, i int) aig.Lit
	Constraint(k int) aig.Lit
}

func violation(sys *ts.System, f framed, bads []int, d int) aig.Lit {
	var any []aig.Lit
	for _, b := range bads {
		switch {
		case sys.Bads[b].Delay == 0:
			any = append(any, f.Graph().And(f.Bad(d, b), f.Constraint(d)))
		case d > 0:
			any = append(any, f.Bad(d-1, b))
		}
	}
	return f.Graph().OrN(any)
}

// W returns the well-formedness predicate in frame k.
func (f *Frames) W(k int) aig.Lit {
	w := &f.frames[k].w
	if *w == pending {
		*w = f.Copy(k, f.sys.W)
	}
	return *w
}

// Trace reads the trace of frames 0 to k from a model; value is asked for
// leaves only (Encoder.Value is such a function). The unrolling must start at the
// reset state.
func (f *Frames) Trace(k int, value func(aig.Lit) bool) *ts.Trace {
	if f.free {
		panic("cnf: an unrolling from a free state has no trace")
	}
	read := func(ls []aig.Lit) []bool {
		return lists.Map(ls, value)
	}
	t := &ts.Trace{Init: read(f.init)}
	for i := range k + 1 {
		t.Inputs = append(t.Inputs, read(f.frames[i].inputs))
	}
	return t
}
