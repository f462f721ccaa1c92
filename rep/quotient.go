package rep

import (
	"fmt"
	"slices"

	"orbitmc/aig"
	"orbitmc/internal/lists"
	"orbitmc/ts"
)

// This file builds the canonicalising quotient of a system: the system that maps
// every state it enters into its orbit,
//
//	s_0 = canon(reset(z))      s_{i+1} = canon(next(s_i, x_i))
//
// An engine that knows nothing of symmetry has fewer states to visit in the quotient.
// Constraints and bads do not distinguish members of an orbit. So a bad is violated in the
// quotient iff it is violated in the system, and at the same depth. From the quotient to the
// system, lift maps a path. From the system to the quotient: take a path r_0, r_1, …, and
// apply to it, step by step, the permutations that take r_i to the state of the quotient.
//
// The quotient pays if rows are narrow and their number decides the size. If rows are wide,
// the network costs more than it saves. So no engine uses the quotient by default.

// Quotient returns the quotient of a system by a group of automorphisms that
// keep all its constraints and bads, and a function that maps traces of the
// quotient to traces of the system that violate the same bads in the same
// frames. The quotient has the latches, inputs and initial inputs of sys, by
// number and name, in a graph of its own. Order is that of the comparisons, nil
// for that of the latches.
func Quotient(sys *ts.System, y *ts.Symmetry, order []int) (*ts.System, func(*ts.Trace) (*ts.Trace, error)) {
	canon := NewCanon(y, order)
	q, copier := sys.Skeleton(aig.New())
	reset, next := make([]aig.Lit, len(sys.Latches)), make([]aig.Lit, len(sys.Latches))
	for i, l := range sys.Latches {
		reset[i], next[i] = copier.Copy(l.Reset), copier.Copy(l.Next)
	}
	reset, next = canon.Circuit(q.G, reset), canon.Circuit(q.G, next)
	for i := range q.Latches {
		q.Latches[i].Reset, q.Latches[i].Next = reset[i], next[i]
	}
	q.Constraints = append(q.Constraints, lists.Map(sys.Constraints, copier.Copy)...)
	q.Bads = slices.Clone(sys.Bads)
	for i, b := range sys.Bads {
		q.Bads[i].Lit = copier.Copy(b.Lit)
	}
	q.W = copier.Copy(sys.W)
	return q, func(t *ts.Trace) (*ts.Trace, error) { return lift(sys, canon, t) }
}

// lift returns a path r_0, r_1, … of the system for the path s_0, s_1, … of its
// quotient. Let σ_i be the permutation by which canon took the i-th successor to
// s_i, and ρ_0 = σ_0, ρ_{i+1} = σ_{i+1}·ρ_i. Then r_0 = reset(z) and inputs
// ρ_i⁻¹(x_i) keep ρ_i(r_i) = s_i.
func lift(sys *ts.System, canon *Canon, t *ts.Trace) (*ts.Trace, error) {
	if len(t.Init) != len(sys.Init) || len(t.Inputs) == 0 {
		return nil, fmt.Errorf("trace has %d initial inputs and %d frames; the system has %d initial inputs", len(t.Init), len(t.Inputs), len(sys.Init))
	}
	out := &ts.Trace{Init: slices.Clone(t.Init)}
	e := ts.NewEvaluator(sys)
	state, rho := canon.State(e.Reset(t.Init))
	for k, in := range t.Inputs {
		if len(in) != len(sys.Inputs) {
			return nil, fmt.Errorf("frame %d of the trace has %d inputs, want %d", k, len(in), len(sys.Inputs))
		}
		if rho == nil {
			out.Inputs = append(out.Inputs, slices.Clone(in))
		} else {
			out.Inputs = append(out.Inputs, ts.Apply(rho.Inverse().Input, in))
		}
		e.Set(state, in)
		var sigma *ts.Perm
		if state, sigma = canon.State(e.Next()); sigma != nil {
			rho = compose(rho, sigma)
		}
	}
	return out, nil
}
